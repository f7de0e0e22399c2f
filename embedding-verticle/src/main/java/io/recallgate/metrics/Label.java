package io.recallgate.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A label of a metric, with what it may say. Never an id, an owner, a session, a model, or anything else that a caller
 * chooses.
 *
 * @param name in lower case
 * @param values all of them; empty where {@code about} says what bounds them
 * @param about what the values are, empty where they speak for themselves
 */
public record Label(String name, List<String> values, String about) {

    /** Stands for every value that is not listed, where it is listed itself. */
    public static final String OTHER = "other";

    /** Copies the values. */
    public Label {
        values = List.copyOf(values);
        if (values.isEmpty() && about.isEmpty()) {
            throw new IllegalArgumentException("nothing bounds the label " + name);
        }
    }

    /** One with these values and no others: another one is a defect. */
    public static Label of(String name, String... values) {
        return new Label(name, List.of(values), "");
    }

    /** The same. */
    public static Label of(String name, Stream<String> values) {
        return new Label(name, values.toList(), "");
    }

    /** One whose values are made by our code, as many as {@code about} says. */
    public static Label described(String name, String about) {
        return new Label(name, List.of(), about);
    }

    /** The same, and whatever else there is shows as {@value #OTHER}: for what comes from outside. */
    public Label orOther() {
        List<String> more = new ArrayList<>(values);
        more.add(OTHER);
        return new Label(name, more, about);
    }

    /**
     * What the label says for {@code value}.
     *
     * @throws IllegalArgumentException for one that is not declared
     */
    String saying(String value) {
        if (values.isEmpty() || values.contains(value)) {
            return value;
        }
        if (values.contains(OTHER)) {
            return OTHER;
        }
        throw new IllegalArgumentException("the label " + name + " is not declared to say " + value);
    }
}
