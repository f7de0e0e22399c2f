package io.recallgate.gateway.postgres;

import java.util.List;
import java.util.Locale;

/** Platforms for which binaries are bundled, and how they differ. */
@SuppressWarnings("ImmutableEnumChecker") // the lists are copied and immutable
enum PostgresPlatform {
    LINUX_X86_64("postgres-linux-x86_64.txz", List.of("setsid")),
    LINUX_ARM_64("postgres-linux-arm_64.txz", List.of("setsid")),
    /** macOS has no setsid command; its Perl has the call. */
    DARWIN_ARM_64("postgres-darwin-arm_64.txz", List.of("perl", "-MPOSIX", "-e", "POSIX::setsid(); exec @ARGV"));

    private final String archive;
    private final List<String> ownSession;

    PostgresPlatform(String archive, List<String> ownSession) {
        this.archive = archive;
        this.ownSession = List.copyOf(ownSession);
    }

    /** The archive's name on the class path. */
    String archive() {
        return archive;
    }

    /** The command that runs the rest of the line in a session of its own, so that Ctrl-C on a terminal passes it by. */
    List<String> ownSession() {
        return ownSession;
    }

    boolean isLinux() {
        return this != DARWIN_ARM_64;
    }

    /** How the cluster gets C.UTF-8: from libc where that has it, else from PostgreSQL itself. */
    List<String> localeArguments() {
        return isLinux()
                ? List.of("--locale-provider=libc", "--locale=C.UTF-8")
                : List.of("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C");
    }

    /**
     * The platform of these system properties.
     *
     * @param osName as {@code os.name}
     * @param osArch as {@code os.arch}
     * @throws io.recallgate.failure.FailureException one line, if there are no binaries for it
     */
    static PostgresPlatform of(String osName, String osArch) {
        String os = osName.toLowerCase(Locale.ROOT);
        boolean x86 = osArch.equals("amd64") || osArch.equals("x86_64");
        boolean arm = osArch.equals("aarch64") || osArch.equals("arm64");
        if (os.startsWith("linux") && (x86 || arm)) {
            return x86 ? LINUX_X86_64 : LINUX_ARM_64;
        }
        if (os.startsWith("mac") && arm) {
            return DARWIN_ARM_64;
        }
        throw PostgresFailure.of("does not run on " + osName + " " + osArch
                + " (Linux x86-64 and arm64, macOS arm64); set RECALLGATE_DATABASE_URL to use another PostgreSQL");
    }

    static PostgresPlatform current() {
        return of(System.getProperty("os.name", "unknown"), System.getProperty("os.arch", "unknown"));
    }
}
