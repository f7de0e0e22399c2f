package io.recallgate.embedding.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.embedding.protocol.PartResult;
import io.recallgate.embedding.protocol.PartTiming;
import io.recallgate.embedding.protocol.RowResult;
import io.recallgate.embedding.protocol.SlicePart;
import io.recallgate.embedding.protocol.ToWorker;
import io.recallgate.embedding.protocol.WorkerExit;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageCodec;
import io.vertx.core.shareddata.Shareable;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class WorkerCodecTest {

    private static final int HEAD = 6;

    private final MessageCodec<Object, Object> codec = codec();

    @ParameterizedTest
    @MethodSource("messages")
    void aMessageIsTheSameAfterTheWireWhateverStandsBeforeAndBehindIt(Object message) {
        Buffer buffer = Buffer.buffer("before");
        int position = buffer.length();
        codec.encodeToWire(buffer, message);
        buffer.appendString("behind");

        assertThat(codec.decodeFromWire(position, buffer)).isEqualTo(message);
    }

    @Test
    void noMessageOfTheProtocolIsForgotten() {
        Set<Class<?>> known = messages().map(Object::getClass).collect(Collectors.toSet());

        assertThat(known).containsAll(permitted(ToWorker.class)).containsAll(permitted(FromWorker.class));
        assertThat(known).hasSameSizeAs(Kind.values()).contains(WorkerExit.class);
        assertThat(Stream.of(Kind.values()).map(Kind::number)).doesNotHaveDuplicates();
    }

    /** The layout is what other versions read, so it is pinned and not only symmetric. */
    @Test
    void theBytesAreAsDocumented() {
        FromWorker.Completed message = new FromWorker.Completed(
                1,
                2,
                3,
                List.of(new PartResult(
                        4, 5, List.of(new RowResult(EmbeddingVector.of(1f), 6, true)), null, new PartTiming(7, 8))));
        Buffer expected = Buffer.buffer()
                .appendByte((byte) 2)
                .appendByte((byte) 19)
                .appendInt(70)
                .appendInt(1)
                .appendLong(2)
                .appendLong(3)
                .appendInt(1)
                .appendLong(4)
                .appendInt(5)
                .appendInt(1)
                .appendInt(1)
                .appendFloatLE(1f)
                .appendInt(6)
                .appendByte((byte) 1)
                .appendByte((byte) 0)
                .appendLong(7)
                .appendLong(8);

        assertThat(encoded(message)).isEqualTo(expected);
    }

    @ParameterizedTest
    @MethodSource("messages")
    void aMessageCutOffAnywhereIsRefused(Object message) {
        Buffer whole = encoded(message);

        for (int length = 0; length < whole.length(); length++) {
            Buffer part = whole.getBuffer(0, length);
            assertThatThrownBy(() -> codec.decodeFromWire(0, part))
                    .as("%s of %s bytes", length, whole.length())
                    .isInstanceOf(WireFormatException.class);
        }
    }

    /** The head claims no more than there is, so each field has to notice by itself. */
    @ParameterizedTest
    @MethodSource("messages")
    void fieldsCutOffBehindAHeadThatAgreesAreRefused(Object message) {
        Buffer whole = encoded(message);

        for (int length = HEAD; length < whole.length(); length++) {
            Buffer part = whole.getBuffer(0, length).setInt(2, length - HEAD);
            assertThatThrownBy(() -> codec.decodeFromWire(0, part)).isInstanceOf(WireFormatException.class);
        }
        Buffer longer = whole.copy().appendByte((byte) 0).setInt(2, whole.length() - HEAD + 1);
        assertThatThrownBy(() -> codec.decodeFromWire(0, longer))
                .isInstanceOf(WireFormatException.class)
                .hasMessageContaining("left behind");
    }

    @Test
    void countsAndLengthsBeyondWhatIsThereAreRefusedBeforeAnythingIsAllocated() {
        Buffer dispatch = encoded(new ToWorker.Dispatch(
                0, 1, 2, List.of(new SlicePart(3, InputType.QUERY, 0, List.of(new EmbedInput.Text("x")))), 4));
        int parts = HEAD + 4 + 8 + 8;
        int inputs = parts + 4 + 8 + 1 + 4;
        int text = inputs + 4 + 1;

        for (int claimed : new int[] {Integer.MAX_VALUE, Integer.MAX_VALUE / 4, 2, -1, Integer.MIN_VALUE}) {
            assertRefused(dispatch.copy().setInt(parts, claimed), "parts");
            if (claimed != 2) {
                assertRefused(dispatch.copy().setInt(inputs, claimed), "inputs");
                assertRefused(dispatch.copy().setInt(text, claimed), "text");
                assertRefused(dispatch.copy().setInt(2, claimed), "");
            }
        }
        assertRefused(dispatch.copy().setInt(parts, 0), "parts has less than 1");
        assertRefused(dispatch.copy().setInt(inputs, 0), "inputs has less than 1");
        assertRefused(dispatch.copy().setInt(HEAD, -1), "slot is negative");
        assertRefused(dispatch.copy().setByte(text + 4, (byte) 0xff), "text is not UTF-8");
        assertRefused(dispatch.copy().setByte(text - 1, (byte) 9), "input form has the unknown number 9");
        assertRefused(dispatch.copy().setByte(parts + 4 + 8, (byte) 9), "input type has the unknown number 9");
    }

    @Test
    void otherVersionsKindsAndPositionsAreRefused() {
        Buffer buffer = encoded(new WorkerExit(1, 2));

        assertRefused(
                buffer.copy().setByte(0, (byte) (WorkerCodec.VERSION + 1)), "version 3 is not known here; this is 2");
        assertRefused(buffer.copy().setByte(1, (byte) 99), "kind has the unknown number 99");
        for (int position : new int[] {-1, buffer.length() + 1, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> codec.decodeFromWire(position, buffer)).isInstanceOf(WireFormatException.class);
        }
    }

    /** Random bytes, and messages with some of their bytes changed; the seed is fixed, so a failure replays. */
    @Test
    void damagedBytesGiveAMessageOrTheOneTypedError() {
        Random random = new Random(20_261_130);
        List<Buffer> whole = messages().map(this::encoded).toList();
        int refused = 0;
        for (int i = 0; i < 200_000; i++) {
            Buffer damaged = i % 4 == 0
                    ? random(random)
                    : changed(whole.get(random.nextInt(whole.size())).copy(), random);
            try {
                codec.decodeFromWire(0, damaged);
            } catch (WireFormatException e) {
                refused++;
            }
        }

        assertThat(refused).isGreaterThan(50_000);
    }

    @Test
    void whatIsNoMessageOrNoUnicodeIsNotWrittenAndLeavesTheBufferAsItWas() {
        Buffer buffer = Buffer.buffer("before");

        assertThatThrownBy(() -> codec.encodeToWire(buffer, "a string")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> codec.encodeToWire(
                        buffer,
                        new ToWorker.Dispatch(
                                0,
                                1,
                                2,
                                List.of(new SlicePart(
                                        3, InputType.QUERY, 0, List.of(new EmbedInput.Text("lone \ud83d")))),
                                4)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a text is not valid Unicode");
        assertThat(buffer.toString()).isEqualTo("before");
    }

    @Test
    void withinAProcessTheSameObjectArrives() {
        messages().forEach(message -> assertThat(codec.transform(message)).isSameAs(message));
    }

    @Test
    void itIsRegisteredOnceAndASecondCopyOfTheLibraryIsToldApart() {
        Vertx vertx = Vertx.vertx();
        try {
            WorkerCodec.register(vertx);
            assertThatCode(() -> WorkerCodec.register(vertx)).doesNotThrowAnyException();

            vertx.sharedData()
                    .<String, Shareable>getLocalMap("recallgate.codecs")
                    .put(WorkerCodec.NAME, new Foreign());
            assertThatThrownBy(() -> WorkerCodec.register(vertx))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("class loader");
        } finally {
            vertx.close();
        }
    }

    static Stream<Object> messages() {
        return Samples.all().stream();
    }

    static MessageCodec<Object, Object> codec() {
        return new WorkerCodec();
    }

    private Buffer encoded(Object message) {
        Buffer buffer = Buffer.buffer();
        codec.encodeToWire(buffer, message);
        return buffer;
    }

    private void assertRefused(Buffer buffer, String why) {
        assertThatThrownBy(() -> codec.decodeFromWire(0, buffer))
                .isInstanceOf(WireFormatException.class)
                .hasMessageContaining(why);
    }

    private static Buffer random(Random random) {
        byte[] bytes = new byte[random.nextInt(200)];
        random.nextBytes(bytes);
        Buffer buffer = Buffer.buffer(bytes);
        if (bytes.length >= HEAD && random.nextBoolean()) {
            // Past the head, so that the fields are met as well.
            List<Kind> kinds = List.of(Kind.values());
            Kind kind = kinds.get(random.nextInt(kinds.size()));
            buffer.setByte(0, (byte) WorkerCodec.VERSION)
                    .setByte(1, (byte) kind.number())
                    .setInt(2, bytes.length - HEAD);
        }
        return buffer;
    }

    private static Buffer changed(Buffer buffer, Random random) {
        int changes = 1 + random.nextInt(4);
        for (int i = 0; i < changes; i++) {
            buffer.setByte(HEAD + random.nextInt(buffer.length() - HEAD), (byte) random.nextInt(256));
        }
        return buffer;
    }

    private static List<Class<?>> permitted(Class<?> sealed) {
        List<Class<?>> all = new ArrayList<>();
        for (Class<?> one : sealed.getPermittedSubclasses()) {
            if (one.isSealed()) {
                all.addAll(permitted(one));
            } else {
                all.add(one);
            }
        }
        return all;
    }

    /** What another class loader's copy leaves behind. */
    private static final class Foreign implements Shareable {}
}
