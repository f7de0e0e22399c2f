package io.recallgate.gateway.conversation.reply;

/**
 * A tool that the model called.
 *
 * @param id as the model named the call; empty if it did not
 * @param name of the tool
 * @param arguments as JSON text, as the model wrote it
 */
public record ToolCall(String id, String name, String arguments) {}
