//! How many planted secrets are found, and what is taken for one wrongly?

use std::collections::BTreeMap;
use std::error::Error;

use backstory_engine::log::redact::Redactor;
use backstory_engine::log::redact::planted;

/// Seeds besides the one the rules were written against: other random bodies,
/// same forms.
const OTHER_SEEDS: u64 = 10;

pub fn run() -> Result<(), Box<dyn Error>> {
    let redactor = Redactor::new();
    report(&redactor, "the planted set", &[planted::SEED]);
    let others: Vec<u64> = (1..=OTHER_SEEDS).map(|n| planted::SEED.wrapping_add(n)).collect();
    report(&redactor, "the same forms, other random values", &others);
    Ok(())
}

fn report(redactor: &Redactor, name: &str, seeds: &[u64]) {
    let (mut found, mut secrets, mut changed, mut harmless) = (0, 0, 0, 0);
    let mut missed: BTreeMap<String, u64> = BTreeMap::new();
    for seed in seeds {
        let set = planted::planted(*seed);
        for positive in &set.positives {
            secrets += 1;
            if positive.is_removed_from(&redactor.redact(&positive.text).text) {
                found += 1;
            } else {
                *missed.entry(positive.kind.to_string()).or_default() += 1;
            }
        }
        for negative in &set.negatives {
            harmless += 1;
            if !negative.is_unchanged_in(&redactor.redact(&negative.text).text) {
                changed += 1;
            }
        }
    }
    let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole as f64;
    println!("{name}");
    println!("  secrets removed            {found:>6} of {secrets:<6} {:>6.1} %", percent(found, secrets));
    println!("  harmless texts changed     {changed:>6} of {harmless:<6} {:>6.1} %", percent(changed, harmless));
    let missed: Vec<String> = missed.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    println!("  missed, by kind            {}", missed.join(", "));
}
