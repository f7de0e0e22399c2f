package io.recallgate.recall.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.VertxException;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.sqlclient.ClosedConnectionException;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class DatabaseFailuresTest {

    @Test
    void aConnectionThatWentAwayMeansThatTheDatabaseIsUnavailable() {
        // As vertx-sql-client words it when PostgreSQL was killed between two statements of a connection.
        Throwable inactive = VertxException.noStackTrace("Connection is not active now, current status: CLOSED");
        assertThat(DatabaseFailures.of(inactive).code()).isEqualTo(FailureCode.DATABASE_UNAVAILABLE);
        assertThat(DatabaseFailures.of(ClosedConnectionException.INSTANCE).code())
                .isEqualTo(FailureCode.DATABASE_UNAVAILABLE);
        assertThat(DatabaseFailures.of(new IOException("reset")).code()).isEqualTo(FailureCode.DATABASE_UNAVAILABLE);
    }

    @Test
    void aQueueOfTheClientThatIsFullMeansTooManyCallersAndNothingOfTheDatabase() {
        Throwable full = new ConnectionPoolTooBusyException("Connection pool reached max wait queue size of 2");
        assertThat(DatabaseFailures.of(full).code()).isEqualTo(FailureCode.OVERLOADED);
        assertThat(DatabaseFailures.of(full).retryAfter()).isNotNull();
        assertThat(DatabaseFailures.isFromOutside(full)).isFalse();
    }

    @Test
    void aPoolThatWeClosedSaysNothingOfTheDatabase() {
        // As vertx-core words it to those who wait for a connection.
        assertThat(DatabaseFailures.isFromOutside(VertxException.noStackTrace("Pool closed")))
                .isFalse();
    }

    @Test
    void aDefectOfOursStaysOne() {
        assertThat(DatabaseFailures.of(new IllegalStateException("ours")).code())
                .isEqualTo(FailureCode.INTERNAL);
    }

    @Test
    void aFailurePassesAsItIs() {
        FailureException failure = new FailureException(FailureCode.CONFLICT, "somebody else was faster");
        assertThat(DatabaseFailures.of(failure)).isSameAs(failure);
    }
}
