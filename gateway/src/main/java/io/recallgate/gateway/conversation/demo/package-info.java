/** Answers conversations without a provider, for whoever wants to see what a model would be given. */
@NullMarked
package io.recallgate.gateway.conversation.demo;

import org.jspecify.annotations.NullMarked;
