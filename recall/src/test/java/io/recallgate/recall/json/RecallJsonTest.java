package io.recallgate.recall.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.RecallMode;
import io.recallgate.recall.api.RecallRequest;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.FakeClock;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecallJsonTest {

    private final FakeClock clock = new FakeClock();
    private final Deadline deadline = Deadline.afterMillis(clock, 5_000);

    @Test
    void aBareQueryTakesTheDefaults() {
        RecallRequest request = request("{\"query\":\"\"}");

        assertThat(request.mode()).isEqualTo(RecallMode.HYBRID);
        assertThat(request.limit()).isEqualTo(RecallRequest.DEFAULT_LIMIT);
        assertThat(request.kinds()).isEmpty();
        assertThat(request.deadline()).isSameAs(deadline);
    }

    @Test
    void everyFieldIsReadAndADeadlineCanOnlyComeForward() {
        RecallRequest request = request("""
                {"query":"q","mode":"strict","limit":50,"session":"s","kinds":["turn","note"],"deadline_ms":400,"explain":true}""");

        assertThat(request.mode()).isEqualTo(RecallMode.STRICT);
        assertThat(request.limit()).isEqualTo(50);
        assertThat(request.session()).isEqualTo("s");
        assertThat(request.kinds()).containsExactlyInAnyOrder(MemoryKind.TURN, MemoryKind.NOTE);
        assertThat(request.explain()).isTrue();
        assertThat(request.deadline().remainingMillis()).isEqualTo(400);
        assertThat(request("{\"query\":\"q\",\"deadline_ms\":60000}").deadline().remainingMillis())
                .isEqualTo(5_000);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {}                                  | invalid-field | query
            {"query":1}                         | invalid-field | query
            {"query":"a\\u0000"}                | invalid-text  | query
            {"query":"q","mode":"fuzzy"}        | invalid-field | mode
            {"query":"q","limit":0}             | invalid-field | limit
            {"query":"q","limit":51}            | invalid-field | limit
            {"query":"q","limit":"10"}          | invalid-field | limit
            {"query":"q","limit":1.5}           | invalid-field | limit
            {"query":"q","kinds":["turn",null]} | invalid-field | kinds[1]
            {"query":"q","kinds":"turn"}        | invalid-field | kinds
            {"query":"q","deadline_ms":0}       | invalid-field | deadline_ms
            {"query":"q","owner":"x"}           | unknown-field | owner
            """)
    void whatIsWrongIsRefusedWithItsPath(String body, String code, String field) {
        FailureException failure = catchThrowableOfType(FailureException.class, () -> request(body));

        assertThat(failure.code().code()).isEqualTo(code);
        assertThat(failure.field()).isEqualTo(field);
    }

    private RecallRequest request(String body) {
        return RecallJson.request(new JsonObject(body), deadline, new CancelSignal());
    }
}
