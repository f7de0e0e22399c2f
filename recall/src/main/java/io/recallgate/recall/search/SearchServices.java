package io.recallgate.recall.search;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.recall.api.DegradeReason;
import io.recallgate.recall.api.RecallService;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.lexical.LexicalLeg;
import io.recallgate.recall.lexical.LuceneAnalysis;
import io.recallgate.recall.lexical.TermStatistics;
import io.recallgate.recall.log.RecallRecord;
import io.recallgate.recall.vector.VectorIndex;
import io.recallgate.time.Clock;
import io.recallgate.time.Timers;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Puts recall together. The index is opened before and closed after by the caller, as the write path needs it too. */
public final class SearchServices {

    private SearchServices() {}

    /**
     * What recall works with.
     *
     * @param database migrated
     * @param analysis the very one that analyses documents
     * @param embedder embeds questions
     * @param index vectors, the very one that writers tell
     * @param fingerprint of the active model as far as it is known; null until then
     * @param degraded told of each recall without its vector leg; called on event loops, returns at once
     * @param log told of each recall that is over; called on event loops, returns at once and throws nothing
     * @param accessed told of the hits of each answer; likewise
     * @param trigrams whether there is an index of trigrams; read on each use
     */
    public record Parts(
            Database database,
            LuceneAnalysis analysis,
            Embedder embedder,
            VectorIndex index,
            Supplier<@Nullable String> fingerprint,
            Consumer<DegradeReason> degraded,
            Consumer<RecallRecord> log,
            Consumer<List<UUID>> accessed,
            BooleanSupplier trigrams) {

        /** Parts that count no accesses and have no trigrams. */
        public Parts(
                Database database,
                LuceneAnalysis analysis,
                Embedder embedder,
                VectorIndex index,
                Supplier<@Nullable String> fingerprint,
                Consumer<DegradeReason> degraded,
                Consumer<RecallRecord> log) {
            this(database, analysis, embedder, index, fingerprint, degraded, log, ignored -> {}, () -> false);
        }

        /** Parts without a log. */
        public Parts(
                Database database,
                LuceneAnalysis analysis,
                Embedder embedder,
                VectorIndex index,
                Supplier<@Nullable String> fingerprint,
                Consumer<DegradeReason> degraded) {
            this(database, analysis, embedder, index, fingerprint, degraded, ignored -> {});
        }

        /** Parts that remember no vector, of which nobody is told. */
        public Parts(Database database, LuceneAnalysis analysis, Embedder embedder, VectorIndex index) {
            this(database, analysis, embedder, index, ignored -> {});
        }

        /** Parts that remember no vector. */
        public Parts(
                Database database,
                LuceneAnalysis analysis,
                Embedder embedder,
                VectorIndex index,
                Consumer<DegradeReason> degraded) {
            this(database, analysis, embedder, index, () -> null, degraded);
        }
    }

    /** The one entry point of recall. */
    public static RecallService create(
            Parts parts, Clock clock, Timers timers, Supplier<RecallSettings> settings, MeterRegistry meters) {
        LexicalLeg lexical = new LexicalLeg(
                parts.database(), parts.analysis(), new TermStatistics(parts.database(), clock), parts.trigrams());
        VectorLeg vector = new VectorLeg(
                new QueryMemo(parts.embedder(), parts.fingerprint(), clock),
                parts.index(),
                new Coverage(parts.database(), clock),
                clock,
                timers);
        Recaller.Legs legs = new Recaller.Legs(lexical, vector, new HitLoader(parts.database()));
        return new Recaller(
                legs,
                clock,
                timers,
                settings,
                new Recaller.Outlets(meters, parts.degraded(), parts.log(), parts.accessed()));
    }
}
