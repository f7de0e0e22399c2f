package io.recallgate.gateway.conversation.evidence;

import java.nio.file.Path;

/**
 * Where recordings go.
 *
 * @param directory absolute; made when the first one is written
 * @param files most that are kept, the oldest removed first; 0 records nothing at all
 */
public record CaptureOptions(Path directory, int files) {}
