package io.recallgate.bench;

import io.recallgate.embedding.api.EmbedInput;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;

/**
 * What a row of a waiting request holds beyond its characters or token ids: its place in the list, the input, and what
 * these are kept in. Run {@code main} from the tests' class path; it prints bytes a row for several lengths, since Java
 * rounds each object up to eight bytes.
 */
public final class RowMemory {

    private static final int ROWS = 200_000;

    private RowMemory() {}

    /** Measures. */
    public static void main(String... arguments) {
        for (int length = 8; length <= 16; length += 2) {
            int characters = length;
            print("text of " + characters + " ASCII characters", row -> text(row, characters, 'a'), characters);
        }
        print("text of 12 characters, two bytes each", row -> text(row, 12, '\u65e5'), 12L * Character.BYTES);
        for (int ids = 3; ids <= 4; ids++) {
            int count = ids;
            print(count + " token ids", row -> new EmbedInput.Tokens(new int[count]), (long) count * Integer.BYTES);
        }
    }

    private static EmbedInput text(int row, int characters, char first) {
        String number = Integer.toString(10_000_000 + row);
        return new EmbedInput.Text(
                number.substring(1) + String.valueOf(first).repeat(characters - number.length() + 1));
    }

    private static void print(String what, IntFunction<EmbedInput> make, long content) {
        List<EmbedInput> rows = new ArrayList<>(ROWS);
        long before = usedBytes();
        for (int row = 0; row < ROWS; row++) {
            rows.add(make.apply(row));
        }
        double each = (usedBytes() - before) / (double) ROWS;
        // The list was made before: its slot for each row is a reference.
        System.out.printf(
                Locale.ROOT, "%-45s %5.1f bytes, %5.1f beyond its content%n", what, each + 4, each + 4 - content);
        if (rows.size() != ROWS) {
            throw new IllegalStateException("the rows are gone before they were measured");
        }
    }

    private static long usedBytes() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
