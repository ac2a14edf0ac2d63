//! Does a question without an answer in the memory get none, and one with an answer get one?

use backstory_engine::retrieve::rank::Ranking;

use super::EvalResult;
use super::commits::Commits;
use super::world::World;

/// Topics that sessions about a command line tool do not contain.
const OFF_TOPIC: [&str; 48] = [
    "best restaurants in Vienna",
    "mortgage interest rates",
    "symptoms of the flu in children",
    "capital of Mongolia",
    "why is the sky blue",
    "sourdough hydration for beginners",
    "how long do I boil a goose egg",
    "who won the chess olympiad",
    "cheap flights to Lisbon in spring",
    "how do tulips survive the winter",
    "what do penguins eat",
    "history of the Ottoman navy",
    "learn to play the ukulele",
    "how to knit a scarf",
    "average rainfall in Peru",
    "which vitamins does spinach contain",
    "how to train a puppy",
    "what is the boiling point of mercury",
    "translate a poem by Rilke",
    "how to repair a bicycle tyre",
    "income tax for freelancers in Portugal",
    "how tall is the Matterhorn",
    "the plot of Don Giovanni",
    "when do blackbirds breed",
    "how to remove red wine stains",
    "what causes earthquakes",
    "recipe for lentil soup",
    "rules of cricket explained",
    "dinosaurs of the Jurassic",
    "how to prune apple trees",
    "kubernetes ingress nginx helm chart",
    "CUDA out of memory during training",
    "tune a PostgreSQL vacuum",
    "COBOL copybook alignment",
    "how to sign an Android APK",
    "Verilog blocking assignment",
    "SAP purchase order IDoc",
    "Unreal Engine blueprint lighting",
    "Excel pivot table from two sheets",
    "Kafka consumer group rebalancing",
    "pandas dataframe groupby agg",
    "Arduino servo jitter",
    "xqzzt vlorp",
    "zzz",
    "???",
    "1234567890",
    "ZQX4417",
    "lorem ipsum dolor sit amet",
];

pub fn run(world: &mut World, commits: &Commits, ranking: &Ranking) -> EvalResult<()> {
    let mut answered = Vec::new();
    for question in OFF_TOPIC {
        let found = world.search(question, ranking)?;
        if let Some(best) = found.items.first() {
            answered.push(format!(
                "    {question}: {} items, first with {:.2} of the words, cosine {:.2}",
                found.items.len(),
                best.score.covered,
                best.score.cosine
            ));
        }
    }
    println!("questions that nothing in the sessions is about ({})", OFF_TOPIC.len());
    println!("without an answer                           {:.3}", 1.0 - answered.len() as f64 / OFF_TOPIC.len() as f64);
    answered.iter().for_each(|line| println!("{line}"));
    let subjects: Vec<&str> = commits.subjects().collect();
    let mut empty = 0;
    for subject in &subjects {
        empty += usize::from(world.search(subject, ranking)?.items.is_empty());
    }
    println!("commit subjects with an answer              {:.3}\n", 1.0 - empty as f64 / subjects.len().max(1) as f64);
    Ok(())
}
