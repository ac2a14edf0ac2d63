//! Prints the table.

use super::contract::Beyond;
use super::trial::Outcome;

pub fn print(outcomes: &[Outcome], notes: &[String]) {
    println!("| command | peak memory, MB | its own | threads | exit code | beyond the memory |");
    println!("|---|---|---|---|---|---|");
    for outcome in outcomes {
        let (peak, trial) = (&outcome.peak, outcome.trial);
        let code = outcome.code.map_or("stopped".to_owned(), |code| code.to_string());
        let beyond: Vec<&str> = trial.beyond.iter().map(|beyond| Beyond::name(*beyond)).collect();
        let memory = peak.memory;
        println!(
            "| `{}` | {:.0} | {:.0} | {} | {code} | {} |",
            trial.typed().replace('|', "\\|"),
            memory.total_mb,
            memory.anonymous_mb,
            peak.threads,
            beyond.join(", ")
        );
    }
    for note in notes {
        println!("\n{note}");
    }
}
