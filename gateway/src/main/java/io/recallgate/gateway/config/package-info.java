/**
 * What the gateway is told: the table of settings ({@link io.recallgate.gateway.config.Setting}), where their values
 * come from, the typed configuration made of them, the one holder of live settings, and the file of API keys. A wrong
 * value becomes a {@link io.recallgate.gateway.config.ConfigException} of one line that says what is allowed.
 */
@NullMarked
package io.recallgate.gateway.config;

import org.jspecify.annotations.NullMarked;
