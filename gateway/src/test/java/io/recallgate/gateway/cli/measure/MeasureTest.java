package io.recallgate.gateway.cli.measure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MeasureTest {

    @Test
    void percentilesAreNearestRanks() {
        Spans spans = new Spans();
        for (int i = 1_000; i >= 1; i--) {
            spans.add(i * 1_000_000L);
        }

        assertThat(spans.percentileMillis(50)).isEqualTo(500);
        assertThat(spans.percentileMillis(99)).isEqualTo(990);
        assertThat(spans.percentileMillis(100)).isEqualTo(1_000);
        assertThat(new Spans().percentileMillis(50)).isZero();
    }

    @Test
    void samplesAreReadWithTheirLabels() {
        PrometheusText page = PrometheusText.parse("""
                # HELP a_total help
                a_total{mode="hybrid",reason="a \\"b\\""} 2.0
                a_total{mode="lexical"} 3 1700000000000
                b 1.5e-3
                c{quantile="0.99"} NaN
                nonsense
                """);

        assertThat(page.sum("a_total")).hasValue(5);
        assertThat(page.sum("b")).hasValue(0.0015);
        assertThat(page.sum("missing")).isEmpty();
        assertThat(page.named("a_total").get(0).label("reason")).isEqualTo("a \\\"b\\\"");
        assertThat(page.named("a_total").get(0).label("ode")).isEmpty();
    }

    private static PrometheusText lag(int upTo5, int upTo20, int all) {
        return PrometheusText.parse("""
                recallgate_event_loop_lag_seconds_bucket{le="0.005"} %d
                recallgate_event_loop_lag_seconds_bucket{le="0.02"} %d
                recallgate_event_loop_lag_seconds_bucket{le="+Inf"} %d
                """.formatted(upTo5, upTo20, all));
    }

    @Test
    void loopLagCountsOnlySamplesInBetween() {
        PrometheusText before = lag(0, 0, 50);

        assertThat(LoopLag.percentileMillis(before, lag(990, 1_000, 1_050), 99)).hasValue(5);
        assertThat(LoopLag.percentileMillis(before, lag(980, 1_000, 1_050), 99)).hasValue(20);
        assertThat(LoopLag.percentileMillis(before, lag(0, 0, 60), 99)).hasValue(Double.POSITIVE_INFINITY);
        assertThat(LoopLag.percentileMillis(before, before, 99)).isEmpty();
        assertThat(LoopLag.percentileMillis(before, PrometheusText.parse(""), 99))
                .isEmpty();
    }
}
