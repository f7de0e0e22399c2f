package io.recallgate.gateway.config;

import io.recallgate.gateway.config.Setting.Trait;
import io.recallgate.gateway.config.SettingTable.Entry;
import io.recallgate.gateway.config.SettingType.Fraction;
import io.recallgate.gateway.config.SettingType.Whole;
import io.recallgate.gateway.probe.ProbeOptions;
import java.util.Set;

/** The settings of probes: their lines in the table of {@link Setting}. */
final class ProbeSettings {

    static final Entry CADENCE_MS = new Entry(
            "RECALLGATE_PROBE_CADENCE_MS",
            "probes.cadence-ms",
            new Whole(0, 86_400_000),
            "60000",
            "ms",
            "Between two attempts of a probe, as long as they cost no more than the duty of it. 0 for no probes.",
            Set.of(Trait.LIVE));
    static final Entry DUTY = new Entry(
            "RECALLGATE_PROBE_DUTY",
            "probes.duty",
            new Fraction(),
            "0.2",
            "",
            "The share of its own time that a probe is charged at most: after one that took 20 s it is idle for 80. Two"
                    + " probes on one provider are charged up to twice that. 1 sets no floor.",
            Set.of(Trait.LIVE));
    static final Entry BUDGET_MS = new Entry(
            "RECALLGATE_PROBE_BUDGET_MS",
            "probes.budget-ms",
            new Whole(10, 3_600_000),
            "30000",
            "ms",
            "How long an attempt may take. If the provider works on after that, one budget more is charged.",
            Set.of(Trait.LIVE));
    static final Entry BACKOFF_MS = new Entry(
            "RECALLGATE_PROBE_BACKOFF_MS",
            "probes.backoff-ms",
            new Whole(1, 3_600_000),
            "30000",
            "ms",
            "Wait after a failed attempt; doubles with each further one in a row.",
            Set.of(Trait.LIVE));
    static final Entry BACKOFF_MAX_MS = new Entry(
            "RECALLGATE_PROBE_BACKOFF_MAX_MS",
            "probes.backoff-max-ms",
            new Whole(1, 86_400_000),
            "600000",
            "ms",
            "The longest such wait.",
            Set.of(Trait.LIVE));
    static final Entry MAX_FAILURES = new Entry(
            "RECALLGATE_PROBE_MAX_FAILURES",
            "probes.max-failures",
            new Whole(0, 1_000_000),
            "0",
            "attempts",
            "After so many failures in a row a probe is given up, until it is run by hand or the model changes. 0 for"
                    + " never.",
            Set.of(Trait.LIVE));

    private ProbeSettings() {}

    /** @throws ConfigException if the longest wait is shorter than the first */
    static ProbeOptions of(SettingValues values) {
        long backoff = values.number(Setting.PROBE_BACKOFF_MS);
        long most = values.number(Setting.PROBE_BACKOFF_MAX_MS);
        if (most < backoff) {
            throw SettingValues.invalid(
                    Setting.PROBE_BACKOFF_MAX_MS,
                    String.valueOf(most),
                    values.get(Setting.PROBE_BACKOFF_MAX_MS).source(),
                    "at least " + Setting.PROBE_BACKOFF_MS.environment());
        }
        return new ProbeOptions(
                values.number(Setting.PROBE_CADENCE_MS),
                Double.parseDouble(values.required(Setting.PROBE_DUTY)),
                values.number(Setting.PROBE_BUDGET_MS),
                backoff,
                most,
                values.whole(Setting.PROBE_MAX_FAILURES));
    }
}
