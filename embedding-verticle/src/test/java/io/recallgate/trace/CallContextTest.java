package io.recallgate.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.internal.ContextInternal;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CallContextTest {

    private final Vertx vertx = Vertx.vertx();
    private final CallContext call = CallContext.of("r-1", TraceContext.fresh());

    @AfterEach
    void close() {
        await(vertx.close());
    }

    private static <T> T await(Future<T> future) {
        return future.toCompletionStage()
                .toCompletableFuture()
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
    }

    private static <T> T on(Context context, Callable<T> work) {
        Promise<T> done = Promise.promise();
        context.runOnContext(ignored -> {
            try {
                done.complete(work.call());
            } catch (Exception e) {
                done.fail(e);
            }
        });
        return await(done.future());
    }

    @Test
    void itGoesAlongWithItsOwnContextAndWithNoOther() {
        ContextInternal root = (ContextInternal) vertx.getOrCreateContext();
        ContextInternal request = root.duplicate();
        ContextInternal other = root.duplicate();

        on(request, () -> {
            call.enter();
            return true;
        });

        assertThat(Optional.ofNullable(on(request, CallContext::current))).contains(call);
        assertThat(Optional.ofNullable(on(other, CallContext::current))).isEmpty();
        assertThat(Optional.ofNullable(CallContext.current())).isEmpty();
    }

    @Test
    void aContextThatManyShareIsNobodys() {
        Context root = vertx.getOrCreateContext();

        CallContext found = on(root, () -> {
            call.enter();
            return CallContext.current();
        });

        assertThat(Optional.ofNullable(found)).isEmpty();
    }

    @Test
    void aThreadOfOursHasItForTheLengthOfAJob() throws Exception {
        assertThat(Optional.ofNullable(CallContext.within(call, CallContext::current)))
                .contains(call);
        assertThat(Optional.ofNullable(CallContext.current())).isEmpty();
        assertThat(Optional.ofNullable(CallContext.within(null, CallContext::current)))
                .isEmpty();
    }

    @Test
    void aMessageCarriesItToWhoeverServesIt() throws Exception {
        Promise<CallContext> served = Promise.promise();
        vertx.eventBus().consumer("there", message -> {
            CallContext.enter(message.headers());
            vertx.runOnContext(later -> served.complete(CallContext.current()));
        });
        MultiMap headers = MultiMap.caseInsensitiveMultiMap();
        call.tellOurs(headers);

        vertx.eventBus().send("there", "x", new DeliveryOptions().setHeaders(headers));

        CallContext there = await(served.future());
        assertThat(there.requestId()).isEqualTo("r-1");
        assertThat(there.trace().traceId()).isEqualTo(call.trace().traceId());
        assertThat(there.trace().spanId()).isNotEqualTo(call.trace().spanId());
    }

    @Test
    void aMessageWithoutHeadersIsNobodys() {
        ContextInternal context = ((ContextInternal) vertx.getOrCreateContext()).duplicate();

        CallContext found = on(context, () -> {
            CallContext.enter(MultiMap.caseInsensitiveMultiMap());
            return CallContext.current();
        });

        assertThat(Optional.ofNullable(found)).isEmpty();
    }

    @Test
    void othersAreToldTheTraceAndNoMore() {
        MultiMap headers = MultiMap.caseInsensitiveMultiMap().set("tracestate", "old=1");

        call.ownedBy("alice").tell(headers);

        assertThat(headers.names()).containsExactly("traceparent");
        TraceContext there = TraceContext.parse(List.of(headers.get("traceparent")), List.of())
                .orElseThrow();
        assertThat(there.traceId()).isEqualTo(call.trace().traceId());
        assertThat(there.spanId()).isNotEqualTo(call.trace().spanId());
    }

    @Test
    void ofAnOwnerOnlyAHashIsShown() {
        assertThat(call.ownerHash()).isEmpty();
        assertThat(call.ownedBy("alice").ownerHash()).contains("2bd806c97f0e");
    }
}
