package io.recallgate.gateway.conversation.remember;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A message with its place in the conversation.
 *
 * @param before hex digest of the messages before it, empty for the first
 * @param chain hex digest of the messages up to it
 * @param message its JSON
 * @param onlyCalls whether it is none to be remembered, and is only looked at for the calls that it makes
 */
public record PlacedMessage(String before, String chain, JsonNode message, boolean onlyCalls) {}
