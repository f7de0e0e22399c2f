package io.recallgate.bench;

/** Numbers of a benchmark's command line, by their place. */
@SuppressWarnings("SystemOut") // it is a command line's
final class Arguments {

    private static final int WRONG_USAGE = 2;

    private final String[] given;

    Arguments(String... given) {
        this.given = given;
    }

    /** The number at this place, or {@code usual} if it was not given. Ends the process with a line if it is not allowed. */
    int number(int place, String name, int usual, int least, int most) {
        if (given.length <= place) {
            return usual;
        }
        String text = given[place];
        if (!text.matches("[0-9]{1,9}") || Integer.parseInt(text) < least || Integer.parseInt(text) > most) {
            System.err.println("recallgate: " + name + " is " + text + "; allowed is " + least + " to " + most);
            System.exit(WRONG_USAGE);
        }
        return Integer.parseInt(text);
    }
}
