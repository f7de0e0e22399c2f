package io.recallgate.gateway.probe;

/**
 * What a result is about. What was found out about one model says nothing about another one.
 *
 * @param provider {@code local}, {@code openai} or {@code none}
 * @param model its configured name, empty while nobody knows
 * @param fingerprint of the model, empty until it is known
 * @param dimensions of its vectors, 0 until they are known
 */
public record ProbeKey(String provider, String model, String fingerprint, int dimensions) {

    /** One of a model of which only the name is known. */
    public static ProbeKey named(String provider, String model) {
        return new ProbeKey(provider, model, "", 0);
    }

    /**
     * Whether it may be the same thing: what is not known yet, or not any more, contradicts nothing. A provider that is
     * asked for its dimensions by the very attempt is no other one for having answered.
     */
    public boolean agreesWith(ProbeKey other) {
        return provider.equals(other.provider)
                && model.equals(other.model)
                && (fingerprint.isEmpty() || other.fingerprint.isEmpty() || fingerprint.equals(other.fingerprint))
                && (dimensions == 0 || other.dimensions == 0 || dimensions == other.dimensions);
    }

    /** What both together know; only for keys that agree. */
    ProbeKey with(ProbeKey other) {
        return new ProbeKey(
                provider,
                model,
                fingerprint.isEmpty() ? other.fingerprint : fingerprint,
                dimensions == 0 ? other.dimensions : dimensions);
    }
}
