package io.recallgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.recall.api.DegradeReason;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

class OpenApiTest {

    private static final Set<String> METHODS = Set.of("get", "post", "patch", "delete", "put", "head", "options");

    private static TestGateway gateway;
    private static JsonObject description;

    @BeforeAll
    static void start() {
        gateway = new TestGateway();
        Map<String, Object> parsed =
                new Yaml().load(gateway.get("/openapi.yaml").body());
        description = new JsonObject(parsed);
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @Test
    void everyRouteIsDescribedAndEveryDescribedRouteExists() {
        Set<String> described = new TreeSet<>();
        JsonObject paths = description.getJsonObject("paths");
        paths.fieldNames().forEach(path -> paths.getJsonObject(path).fieldNames().stream()
                .filter(METHODS::contains)
                .forEach(method -> described.add(method.toUpperCase(Locale.ROOT) + " " + path)));
        Set<String> served = gateway.api.endpoints().stream()
                .map(endpoint -> endpoint.method() + " " + endpoint.path())
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(served).hasSizeGreaterThan(20).isEqualTo(described);
    }

    @Test
    void everyQueryParameterIsDescribed() {
        gateway.api.endpoints().forEach(endpoint -> {
            Set<String> described =
                    operation(endpoint.path(), endpoint.method().name())
                            .getJsonArray("parameters", new JsonArray())
                            .stream()
                            .map(JsonObject.class::cast)
                            .filter(parameter -> "query".equals(parameter.getString("in")))
                            .map(parameter -> parameter.getString("name"))
                            .collect(Collectors.toSet());
            assertThat(described).as(endpoint.path()).isEqualTo(endpoint.query());
        });
    }

    @Test
    void everyReferenceResolves() {
        references(description).forEach(reference -> {
            Object at = description;
            for (String step : reference.substring(2).split("/", -1)) {
                at = ((JsonObject) at).getValue(step);
                assertThat(at).as(reference).isNotNull();
            }
        });
    }

    @Test
    void everyFieldOfAMemoryAndOfTheJobsIsDescribed() {
        String id = TestGateway.json(gateway.post("/v1/memories", "{\"content\":\"x\"}"))
                .getJsonArray("memories")
                .getJsonObject(0)
                .getString("id");
        JsonObject jobs = TestGateway.json(gateway.get("/v1/jobs"));

        assertThat(TestGateway.json(gateway.get("/v1/memories/" + id)).fieldNames())
                .isEqualTo(schema("Memory").fieldNames());
        assertThat(jobs.fieldNames()).isEqualTo(schema("Jobs").fieldNames());
        assertThat(jobs.getJsonObject("reembedding").fieldNames())
                .isEqualTo(schema("Jobs")
                        .getJsonObject("reembedding")
                        .getJsonObject("properties")
                        .fieldNames());
    }

    @Test
    void everyFieldOfTheStatisticsAndOfARecallIsDescribed() {
        JsonObject stats = TestGateway.json(gateway.get("/v1/recall/stats"));
        JsonObject mode = schema("RecallStats").getJsonObject("modes").getJsonObject("additionalProperties");
        JsonObject answered = stats.getJsonObject("modes").getJsonObject("hybrid");

        assertThat(stats.fieldNames()).isEqualTo(schema("RecallStats").fieldNames());
        assertThat(answered.fieldNames())
                .isEqualTo(mode.getJsonObject("properties").fieldNames());
        assertThat(answered.getJsonObject("total_ms").fieldNames())
                .isEqualTo(mode.getJsonObject("properties")
                        .getJsonObject("total_ms")
                        .getJsonObject("properties")
                        .fieldNames());
        assertThat(TestGateway.json(gateway.post("/v1/recall", "{\"query\":\"x\"}"))
                        .fieldNames())
                .isEqualTo(schema("RecallResponse").fieldNames());
    }

    @Test
    void theReasonsOfDegradationAreTheClosedSet() {
        List<?> described = description
                .getJsonObject("components")
                .getJsonObject("schemas")
                .getJsonObject("DegradeReason")
                .getJsonArray("enum")
                .getList();

        assertThat(described.stream().map(String::valueOf))
                .containsExactlyInAnyOrderElementsOf(Stream.of(DegradeReason.values())
                        .map(DegradeReason::wireName)
                        .toList());
    }

    /** The properties of a named schema. */
    private static JsonObject schema(String name) {
        return description
                .getJsonObject("components")
                .getJsonObject("schemas")
                .getJsonObject(name)
                .getJsonObject("properties");
    }

    private static JsonObject operation(String path, String method) {
        return description.getJsonObject("paths").getJsonObject(path).getJsonObject(method.toLowerCase(Locale.ROOT));
    }

    private static Stream<String> references(Object node) {
        if (node instanceof JsonObject object) {
            return object.stream()
                    .flatMap(entry -> "$ref".equals(entry.getKey())
                            ? Stream.of(String.valueOf(entry.getValue()))
                            : references(entry.getValue()));
        }
        return node instanceof JsonArray array ? array.stream().flatMap(OpenApiTest::references) : Stream.empty();
    }
}
