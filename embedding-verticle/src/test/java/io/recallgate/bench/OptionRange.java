package io.recallgate.bench;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** What a numeric option of a benchmark takes. */
public final class OptionRange {

    private OptionRange() {}

    /** @throws ParameterException that names the option, what was given, and what is allowed */
    public static void require(CommandSpec spec, String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw outside(spec, option, value, least + " to " + most);
        }
    }

    /** @throws ParameterException that names the option, what was given, NaN too, and what is allowed */
    public static void require(CommandSpec spec, String option, double value, double least, long most) {
        if (!(value >= least && value <= most)) {
            throw outside(spec, option, value, least + " to " + most);
        }
    }

    private static ParameterException outside(CommandSpec spec, String option, Number value, String allowed) {
        return new ParameterException(spec.commandLine(), option + " is " + value + "; allowed is " + allowed);
    }
}
