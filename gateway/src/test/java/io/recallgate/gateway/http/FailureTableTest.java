package io.recallgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.http.failure.Dialect;
import io.recallgate.gateway.http.failure.FailureShape;
import io.vertx.core.json.JsonObject;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FailureTableTest {

    private static final Set<String> OPENAI_TYPES =
            Set.of("invalid_request_error", "permission_error", "rate_limit_error", "server_error");
    private static final Set<String> ANTHROPIC_TYPES = Set.of(
            "invalid_request_error",
            "authentication_error",
            "permission_error",
            "not_found_error",
            "request_too_large",
            "rate_limit_error",
            "api_error",
            "timeout_error");

    @ParameterizedTest
    @EnumSource(FailureCode.class)
    void everyFailureHasAShapeInEveryDialect(FailureCode code) {
        FailureShape shape = FailureShape.of(code);

        assertThat(shape.title()).isNotBlank();
        assertThat(shape.openAiType()).isIn(OPENAI_TYPES);
        assertThat(shape.openAiCode()).matches("[a-z_]+");
        assertThat(shape.anthropicType()).isIn(ANTHROPIC_TYPES);
        assertThat(shape.openAiType().equals("server_error"))
                .as("a fault of ours exactly where the status says so")
                .isEqualTo(code.httpStatus() >= 500 || code == FailureCode.CANCELLED);
    }

    @ParameterizedTest
    @EnumSource(FailureCode.class)
    void aProblemHasEveryMemberOfTheStandard(FailureCode code) {
        JsonObject problem = Dialect.NATIVE.body(FailureException.ofField(code, "some.field", "what to do"), "r-1");

        assertThat(problem.fieldNames())
                .containsExactlyInAnyOrder("type", "title", "status", "detail", "instance", "code", "field");
        assertThat(problem.getInteger("status")).isEqualTo(code.httpStatus());
        assertThat(problem.getString("code")).isEqualTo(code.code());
        assertThat(problem.getString("instance")).endsWith("r-1");
    }

    @ParameterizedTest
    @EnumSource(FailureCode.class)
    void anOpenAiErrorHasItsFourFieldsAlsoWhenTheyAreNull(FailureCode code) {
        JsonObject error = Dialect.OPENAI
                .body(new FailureException(code, "what to do"), "r-1")
                .getJsonObject("error");

        assertThat(error.fieldNames()).containsExactlyInAnyOrder("message", "type", "param", "code");
        assertThat(error.getValue("param")).isNull();
    }

    @ParameterizedTest
    @EnumSource(FailureCode.class)
    void anAnthropicErrorIsWrappedAndCarriesTheRequest(FailureCode code) {
        JsonObject body = Dialect.ANTHROPIC.body(new FailureException(code, "what to do"), "r-1");

        assertThat(body.getString("type")).isEqualTo("error");
        assertThat(body.getString("request_id")).isEqualTo("r-1");
        assertThat(body.getJsonObject("error").fieldNames()).containsExactlyInAnyOrder("type", "message");
    }
}
