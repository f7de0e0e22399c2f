package io.recallgate.embedding;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The least of all that bounds the memory of this process: physical memory, and the limits of its control groups, of
 * version 1 and 2, on their whole way up to the mounted root. A limit of any group on that way holds for all below it.
 * What the machine does not have or does not let us read bounds nothing. Reads small files: for worker threads.
 *
 * @param bytes more than zero
 * @param source where it is from: {@code physical memory}, or the file that says so
 */
record MemoryLimit(long bytes, String source) {

    private static final String PHYSICAL = "physical memory";

    /** A process can be moved to another group at any time, so nothing is remembered. */
    private static final Path MACHINE = Path.of("/");

    /** Version 2: beyond {@code memory.high} a group is slowed down until it hardly moves, which is no better. */
    private static final List<String> FILES_V2 = List.of("memory.max", "memory.high");

    private static final String FILE_V1 = "memory.limit_in_bytes";

    /** Version 1 with {@code use_hierarchy}: what the kernel itself computed over all ancestors, also hidden ones. */
    private static final Pattern HIERARCHICAL_V1 = Pattern.compile("(?m)^hierarchical_memory_limit ([0-9]+)$");

    /** Mount points are written with blanks, tabs, line ends and backslashes as octal numbers. */
    private static final Pattern OCTAL = Pattern.compile("\\\\([0-7]{3})");

    /** Deeper than any real hierarchy. */
    private static final int MAX_DEPTH = 64;

    /** Of this machine. */
    static MemoryLimit read(long physicalBytes) {
        return read(MACHINE, physicalBytes);
    }

    /**
     * Of a machine whose files are below {@code root}.
     *
     * @param physicalBytes of the machine, more than zero
     */
    static MemoryLimit read(Path root, long physicalBytes) {
        List<MemoryLimit> limits = new ArrayList<>();
        limits.add(new MemoryLimit(physicalBytes, PHYSICAL));
        List<String> groups = lines(root.resolve("proc/self/cgroup"));
        for (String line : lines(root.resolve("proc/self/mountinfo"))) {
            Mount.parse(line).ifPresent(mount -> {
                for (Path directory : mount.upwards(root, groups)) {
                    collect(mount, directory, limits);
                }
            });
        }
        MemoryLimit least = limits.get(0);
        for (MemoryLimit limit : limits) {
            least = limit.bytes < least.bytes ? limit : least;
        }
        return least;
    }

    private static void collect(Mount mount, Path directory, List<MemoryLimit> limits) {
        if (mount.version2) {
            FILES_V2.forEach(name -> add(directory.resolve(name), text(directory.resolve(name)), limits));
        } else {
            add(directory.resolve(FILE_V1), text(directory.resolve(FILE_V1)), limits);
            Path statistics = directory.resolve("memory.stat");
            Matcher matcher = HIERARCHICAL_V1.matcher(text(statistics));
            if (matcher.find()) {
                add(statistics, matcher.group(1), limits);
            }
        }
    }

    /** Zero would be a group in which nothing can run; {@code max}, nothing and what is no number are no limit. */
    private static void add(Path file, String text, List<MemoryLimit> limits) {
        try {
            long bytes = Long.parseLong(text.strip());
            if (bytes > 0) {
                limits.add(new MemoryLimit(bytes, file.toString()));
            }
        } catch (NumberFormatException e) {
            // No limit: "max", or unsigned and beyond any memory, or a file that could not be read.
        }
    }

    private static List<String> lines(Path file) {
        return text(file).lines().toList();
    }

    /** Empty if it cannot be read. */
    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return ""; // another system, another version, or not for us: no limit that we could know
        }
    }

    /**
     * A mounted hierarchy with memory limits.
     *
     * @param top the group that is mounted, {@code /} outside of containers
     * @param point where
     */
    private record Mount(boolean version2, String top, String point) {

        /** A line of {@code mountinfo}: id, parent, device, root, mount point, options, …, -, type, source, options. */
        static Optional<Mount> parse(String line) {
            int separator = line.indexOf(" - ");
            if (separator < 0) {
                return Optional.empty();
            }
            String[] before = line.substring(0, separator).split(" ", -1);
            String[] after = line.substring(separator + 3).split(" ", -1);
            if (before.length < 5 || after.length < 3) {
                return Optional.empty();
            }
            boolean version2 = after[0].equals("cgroup2");
            boolean version1 = after[0].equals("cgroup")
                    && List.of(after[2].split(",", -1)).contains("memory");
            return version2 || version1
                    ? Optional.of(new Mount(version2, plain(before[3]), plain(before[4])))
                    : Optional.empty();
        }

        /** The process's group and all above it, as far as they are mounted. */
        List<Path> upwards(Path root, List<String> groups) {
            List<Path> directories = new ArrayList<>();
            try {
                Path top = root.resolve(relative(point)).normalize();
                @Nullable Path at = top.resolve(relative(inside(group(groups)))).normalize();
                while (at != null && at.startsWith(top) && directories.size() < MAX_DEPTH) {
                    directories.add(at);
                    at = at.getParent();
                }
            } catch (InvalidPathException e) {
                directories.clear(); // a name that this file system cannot have
            }
            return directories;
        }

        /** The path of our group, empty if there is none: then it is that of the mount. */
        private String group(List<String> groups) {
            for (String line : groups) {
                String[] parts = line.split(":", 3);
                boolean ours = parts.length == 3
                        && (version2
                                ? parts[0].equals("0") && parts[1].isEmpty()
                                : List.of(parts[1].split(",", -1)).contains("memory"));
                if (ours) {
                    return parts[2];
                }
            }
            return "";
        }

        /** What is left of a group's path below the mounted one; a path from outside of our view is the mount's own. */
        private String inside(String group) {
            if (group.contains("/..")) {
                return "";
            }
            if (top.equals("/")) {
                return group;
            }
            return group.startsWith(top + "/") ? group.substring(top.length()) : "";
        }

        private static String relative(String path) {
            return path.replaceFirst("^/+", "");
        }

        private static String plain(String escaped) {
            return OCTAL.matcher(escaped)
                    .replaceAll(match ->
                            Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(match.group(1), 8))));
        }
    }
}
