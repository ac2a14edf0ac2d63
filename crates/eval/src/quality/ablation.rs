//! What does each part of the ranking contribute, and where?

use std::path::Path;

use backstory_engine::retrieve::rank::Ranking;

use super::chats::Chats;
use super::commits::Commits;
use super::lines::Lines;
use super::needles::Needles;
use super::world::World;
use super::zero_overlap::ZeroOverlap;
use super::{EvalResult, assign, sessions_in};

/// A ranking with a part removed or added.
struct Variant {
    name: &'static str,
    set: &'static [&'static str],
}

const VARIANTS: [Variant; 11] = [
    Variant { name: "default", set: &[] },
    Variant { name: "no vectors", set: &["vectors=0"] },
    Variant { name: "only vectors", set: &["words=0", "verbatim=0", "session=0", "turn=0", "vectors=1"] },
    Variant { name: "no sessions", set: &["session=0"] },
    Variant { name: "no turns", set: &["turn=0"] },
    Variant { name: "no neighbours", set: &["reply=0", "after=0", "before=0", "answered=0"] },
    Variant { name: "no answers", set: &["answered=0"] },
    Variant { name: "no verbatim", set: &["verbatim=0"] },
    Variant { name: "no writing", set: &["written=0"] },
    Variant { name: "no dates", set: &["date=0"] },
    Variant { name: "seed mode", set: &["mode=seed"] },
];

/// All data sets, read once for all variants.
struct Sets {
    sessions: World,
    commits: Commits,
    lines: Lines,
    locomo: Chats,
    beam: Chats,
    zero_overlap: ZeroOverlap,
    needles: Needles,
}

const HEADER: [&str; 2] = [
    "                   commits commits reworded    line subject  locomo    beam    zero needles",
    "                     hit@1  hit@10    hit@1   hit@1   hit@1  rec@10  rec@10  rec@10   worst",
];

pub fn run(data: &Path, ranking: &Ranking) -> EvalResult<()> {
    // An unknown name must fail at once, not after minutes.
    let rankings = VARIANTS.iter().map(|variant| variant.of(ranking)).collect::<EvalResult<Vec<_>>>()?;
    let mut sets = Sets::read(data)?;
    println!("what each part brings\n{}", HEADER.join("\n"));
    for (variant, ranking) in VARIANTS.iter().zip(&rankings) {
        let [one, ten, reworded, rest @ ..] = sets.measure(ranking)?;
        print!("{:<18} {one:>7.3} {ten:>7.3} {reworded:>8.3}", variant.name);
        rest.iter().for_each(|score| print!(" {score:>7.3}"));
        println!();
    }
    println!();
    Ok(())
}

impl Variant {
    fn of(&self, ranking: &Ranking) -> EvalResult<Ranking> {
        let mut ranking = ranking.clone();
        for assignment in self.set {
            assign(&mut ranking, assignment)?;
        }
        Ok(ranking)
    }
}

impl Sets {
    fn read(data: &Path) -> EvalResult<Self> {
        let mut sessions = World::of_sessions(&sessions_in(data))?;
        let mut sets = Sets {
            commits: Commits::read(data, &mut sessions)?,
            lines: Lines::read(data, &sessions)?,
            sessions,
            locomo: Chats::read(data, "locomo", None)?,
            beam: Chats::read(data, "beam", None)?,
            zero_overlap: ZeroOverlap::read(None, None)?,
            needles: Needles::plant(data)?,
        };
        // Only seed mode uses clusters.
        let alone = [&mut sets.sessions, &mut sets.zero_overlap.world, &mut sets.needles.world];
        for world in alone.into_iter().chain(sets.locomo.worlds()).chain(sets.beam.worlds()) {
            world.make_clusters()?;
        }
        Ok(sets)
    }

    /// In the order of the header.
    fn measure(&mut self, ranking: &Ranking) -> EvalResult<[f64; 9]> {
        let commits = self.commits.measure(&mut self.sessions, ranking)?;
        Ok([
            commits.verified.hit_at_1(),
            commits.verified.hit_at_10(),
            commits.reworded.hit_at_1(),
            self.lines.measure_longest(&mut self.sessions, ranking)?.hit_at_1(),
            self.lines.measure_subjects(&mut self.sessions, ranking)?.hit_at_1(),
            self.locomo.measure(ranking)?.all.recall_at_10(),
            self.beam.measure(ranking)?.all.recall_at_10(),
            self.zero_overlap.measure(ranking)?.recall_at_10(),
            self.needles.measure_worst(ranking)?,
        ])
    }
}
