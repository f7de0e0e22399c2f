package io.recallgate.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What bounds the memory of a process, on machines that are made of files. */
class MemoryLimitTest {

    private static final long PHYSICAL = 16L << 30;

    private static final String V2 =
            "31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n";
    private static final String V1 = """
            32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct
            35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:16 - cgroup cgroup rw,memory
            """;

    @TempDir
    Path root;

    @Test
    void withoutControlGroupsPhysicalMemoryIsTheLimit() {
        assertThat(read()).isEqualTo(new MemoryLimit(PHYSICAL, "physical memory"));
    }

    @Test
    void version2TakesTheLeastOnTheWayUpToTheRoot() throws IOException {
        process("0::/machine.slice/pod/app\n", V2);
        file("sys/fs/cgroup/machine.slice/pod/app/memory.max", "max\n");
        file("sys/fs/cgroup/machine.slice/pod/memory.max", "3000000000\n");
        file("sys/fs/cgroup/machine.slice/memory.max", "9000000000\n");

        assertThat(read().bytes()).isEqualTo(3_000_000_000L);
        assertThat(read().source()).endsWith("sys/fs/cgroup/machine.slice/pod/memory.max");
    }

    @Test
    void version2CountsWhereAGroupIsSlowedDown() throws IOException {
        process("0::/app\n", V2);
        file("sys/fs/cgroup/app/memory.max", "4000000000\n");
        file("sys/fs/cgroup/app/memory.high", "2000000000\n");

        assertThat(read().bytes()).isEqualTo(2_000_000_000L);
    }

    @Test
    void version2InANamespaceOfItsOwnIsReadAtTheMount() throws IOException {
        process("0::/\n", V2);
        file("sys/fs/cgroup/memory.max", "1500000000\n");

        assertThat(read().bytes()).isEqualTo(1_500_000_000L);
    }

    @Test
    void aGroupOutsideOfOurViewIsReadAtTheMount() throws IOException {
        process("0::/../../other\n", V2);
        file("sys/fs/cgroup/memory.max", "1500000000\n");

        assertThat(read().bytes()).isEqualTo(1_500_000_000L);
    }

    @Test
    void version1TakesTheLeastOnTheWayUpAndIgnoresTheHugeNumberThatMeansNone() throws IOException {
        process("5:cpu,cpuacct:/elsewhere\n4:memory:/docker/abc\n", V1);
        file("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "9223372036854771712\n");
        file("sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "2500000000\n");
        file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        file("sys/fs/cgroup/cpu/elsewhere/memory.limit_in_bytes", "1\n");

        assertThat(read().bytes()).isEqualTo(2_500_000_000L);
    }

    @Test
    void version1KnowsTheLimitOfAncestorsThatAreNotMounted() throws IOException {
        process(
                "4:memory:/docker/abc/inner\n",
                "35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
        file("sys/fs/cgroup/memory/inner/memory.limit_in_bytes", "9223372036854771712\n");
        file("sys/fs/cgroup/memory/memory.limit_in_bytes", "5000000000\n");
        file("sys/fs/cgroup/memory/inner/memory.stat", "cache 12\nhierarchical_memory_limit 1200000000\nrss 4\n");

        assertThat(read().bytes()).isEqualTo(1_200_000_000L);
        assertThat(read().source()).endsWith("inner/memory.stat");
    }

    @Test
    void aHybridMachineHasItsMemoryInVersion1() throws IOException {
        process(
                "4:memory:/app\n1:name=systemd:/app\n0::/app\n",
                V1 + "38 31 0:35 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
        file("sys/fs/cgroup/memory/app/memory.limit_in_bytes", "2100000000\n");

        assertThat(read().bytes()).isEqualTo(2_100_000_000L);
    }

    @Test
    void aMountPointWithABlankIsFound() throws IOException {
        process("0::/a\n", "31 23 0:28 / /my\\040groups rw - cgroup2 cgroup2 rw\n");
        file("my groups/a/memory.max", "1000000000\n");

        assertThat(read().bytes()).isEqualTo(1_000_000_000L);
    }

    @Test
    void whatIsUnreadableMissingOrNoNumberBoundsNothing() throws IOException {
        process("0::/a/b\nrubbish\n::\n", V2 + "no mount\n1 2 - cgroup2\n");
        // A directory in the place of a file cannot be read by anybody, root included.
        Files.createDirectories(root.resolve("sys/fs/cgroup/a/b/memory.max"));
        file("sys/fs/cgroup/a/memory.max", "99999999999999999999999\n");
        file("sys/fs/cgroup/a/memory.high", "");
        file("sys/fs/cgroup/memory.max", "0\n");

        assertThat(read()).isEqualTo(new MemoryLimit(PHYSICAL, "physical memory"));
    }

    @Test
    void aLimitBeyondPhysicalMemoryIsNone() throws IOException {
        process("0::/a\n", V2);
        file("sys/fs/cgroup/a/memory.max", Long.toString(PHYSICAL * 2));

        assertThat(read().source()).isEqualTo("physical memory");
    }

    private MemoryLimit read() {
        return MemoryLimit.read(root, PHYSICAL);
    }

    private void process(String groups, String mounts) throws IOException {
        file("proc/self/cgroup", groups);
        file("proc/self/mountinfo", mounts);
    }

    private void file(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
