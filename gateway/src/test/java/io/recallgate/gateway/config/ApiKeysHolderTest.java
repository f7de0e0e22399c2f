package io.recallgate.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class ApiKeysHolderTest {

    /** SHA-256 of "abc" and of the empty text, from FIPS 180-2 and RFC 6234. */
    private static final String ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    private static final String EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    @TempDir
    Path directory;

    private final Logger logger = (Logger) LoggerFactory.getLogger(ApiKeysHolder.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void listenNoMore() {
        logger.detachAppender(log);
    }

    @Test
    void aFileThatIsRenamedIntoPlaceIsTakenOnceItStandsStill() throws IOException {
        Path file = write("keys.yaml", key(ABC, "alice"));
        ApiKeysHolder holder = ApiKeysHolder.load(file);
        assertThat(looks(holder, 3)).isFalse();

        Files.move(write("next.yaml", key(EMPTY, "bob")), file, StandardCopyOption.ATOMIC_MOVE);

        assertThat(holder.reload()).isFalse();
        assertThat(holder.reload()).isTrue();
        assertThat(holder.get().check("abc")).isEmpty();
        assertThat(holder.get().check("").orElseThrow().owner()).isEqualTo("bob");
        assertThat(looks(holder, 3)).isFalse();
    }

    @Test
    void aChangeInPlaceIsSeenThoughTimeAndSizeStayTheSame() throws IOException {
        Path file = write("keys.yaml", key(ABC, "alice"));
        FileTime time = Files.getLastModifiedTime(file);
        ApiKeysHolder holder = ApiKeysHolder.load(file);

        write("keys.yaml", key(ABC, "carol"));
        Files.setLastModifiedTime(file, time);

        assertThat(looks(holder, 2)).isTrue();
        assertThat(holder.get().check("abc").orElseThrow().owner()).isEqualTo("carol");
    }

    @Test
    void halfAFileIsNotTakenWhileItIsStillWritten() throws IOException {
        Path file = write("keys.yaml", key(ABC, "alice"));
        ApiKeysHolder holder = ApiKeysHolder.load(file);

        // Valid as it stands, and without the key that comes next.
        write("keys.yaml", key(EMPTY, "bob"));
        assertThat(holder.reload()).isFalse();
        write("keys.yaml", key(EMPTY, "bob") + entry(ABC, "alice"));
        assertThat(holder.reload()).isFalse();
        assertThat(holder.get().check("abc")).isPresent();

        assertThat(holder.reload()).isTrue();
        assertThat(holder.get().size()).isEqualTo(2);
    }

    @Test
    void aSecretBehindLinksThatAreTurnedIsFollowed() throws IOException {
        Path one = Files.createDirectory(directory.resolve("..2026_01"));
        Files.writeString(one.resolve("keys.yaml"), key(ABC, "alice"));
        Path data = Files.createSymbolicLink(directory.resolve("..data"), one.getFileName());
        Path file = Files.createSymbolicLink(directory.resolve("keys.yaml"), Path.of("..data", "keys.yaml"));
        ApiKeysHolder holder = ApiKeysHolder.load(file);

        Path two = Files.createDirectory(directory.resolve("..2026_02"));
        Files.writeString(two.resolve("keys.yaml"), key(EMPTY, "bob"));
        Path turned = Files.createSymbolicLink(directory.resolve("..data_tmp"), two.getFileName());
        Files.move(turned, data, StandardCopyOption.ATOMIC_MOVE);

        assertThat(looks(holder, 2)).isTrue();
        assertThat(holder.get().check("abc")).isEmpty();
    }

    @Test
    void aDamagedFileKeepsTheKeysAndIsToldOnceWithoutWhatStandsInIt() throws IOException {
        ApiKeysHolder holder = ApiKeysHolder.load(write("keys.yaml", key(ABC, "alice")));

        write("keys.yaml", key("my-plain-key-1234", "alice"));
        assertThat(looks(holder, 5)).isFalse();

        assertThat(holder.get().check("abc")).isPresent();
        assertThat(holder.trouble().orElseThrow())
                .contains("keys[0].sha256")
                .doesNotContain("my-plain-key-1234")
                .doesNotContain("\n");
        assertThat(warnings())
                .singleElement()
                .asString()
                .contains("keys[0].sha256")
                .doesNotContain("my-plain-key-1234");
    }

    @Test
    void aFileThatVanishedKeepsTheKeysAndIsToldOnceUntilItIsBack() throws IOException {
        Path file = write("keys.yaml", key(ABC, "alice"));
        ApiKeysHolder holder = ApiKeysHolder.load(file);

        Files.delete(file);
        assertThat(looks(holder, 5)).isFalse();
        assertThat(holder.get().check("abc")).isPresent();
        assertThat(holder.trouble().orElseThrow()).contains("no such file");
        assertThat(warnings()).hasSize(1);

        // The same as before: nothing new, but no trouble either.
        write("keys.yaml", key(ABC, "alice"));
        looks(holder, 2);
        assertThat(holder.trouble()).isEmpty();
        assertThat(warnings()).hasSize(1);
    }

    @Test
    void aFileLargerThanAnyListOfKeysIsRefusedUnread() throws IOException {
        ApiKeysHolder holder = ApiKeysHolder.load(write("keys.yaml", key(ABC, "alice")));

        write("keys.yaml", "#".repeat(ApiKeys.MAX_BYTES + 1));

        assertThat(looks(holder, 2)).isFalse();
        assertThat(holder.trouble().orElseThrow()).contains("larger than");
    }

    @Test
    @Timeout(10)
    void aPipeOrADirectoryInPlaceOfTheFileKeepsTheKeysAndHoldsUpNoLook() throws Exception {
        Path file = write("keys.yaml", key(ABC, "alice"));
        ApiKeysHolder holder = ApiKeysHolder.load(file);

        Files.delete(file);
        Files.createDirectory(file);
        assertThat(looks(holder, 2)).isFalse();
        assertThat(holder.trouble().orElseThrow()).contains("is not a regular file");

        Files.delete(file);
        assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor())
                .isZero();
        assertThat(looks(holder, 2)).isFalse();
        assertThat(holder.get().check("abc")).isPresent();

        Files.delete(file);
        write("keys.yaml", key(EMPTY, "bob"));
        assertThat(looks(holder, 2)).isTrue();
        assertThat(holder.trouble()).isEmpty();
    }

    @Test
    void aNumberThatIsNoneIsToldAsAnyOtherDamage() throws IOException {
        ApiKeysHolder holder = ApiKeysHolder.load(write("keys.yaml", key(ABC, "alice")));

        write("keys.yaml", key(ABC, "._"));
        assertThat(looks(holder, 5)).isFalse();

        assertThat(holder.get().check("abc")).isPresent();
        assertThat(holder.trouble().orElseThrow()).contains("is not valid YAML");
        assertThat(warnings()).hasSize(1);
    }

    private List<String> warnings() {
        return log.list.stream()
                .filter(event -> event.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    private static boolean looks(ApiKeysHolder holder, int times) {
        boolean changed = false;
        for (int i = 0; i < times; i++) {
            changed |= holder.reload();
        }
        return changed;
    }

    private static String key(String hash, String owner) {
        return "keys:\n" + entry(hash, owner);
    }

    private static String entry(String hash, String owner) {
        return "  - {sha256: " + hash + ", owner: " + owner + ", rights: [read]}\n";
    }

    private Path write(String name, String yaml) throws IOException {
        return Files.writeString(directory.resolve(name), yaml);
    }
}
