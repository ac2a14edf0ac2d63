//! How many planted secrets are found, and how many false positives are there?

use std::collections::BTreeMap;
use std::error::Error;

use backstory_language::redact::Redactor;
use backstory_language::redact::planted::{self, Shapes};

/// The number of seeds besides the one used for writing the rules: other random bodies, same forms.
const OTHER_SEEDS: u64 = 10;

pub fn run() -> Result<(), Box<dyn Error>> {
    let redactor = Redactor::new();
    report(&redactor, "the planted set", &[planted::SEED]);
    let others: Vec<u64> = (1..=OTHER_SEEDS).map(|n| planted::SEED.wrapping_add(n)).collect();
    report(&redactor, "the same forms, other random values", &others);
    report_shapes(&redactor, "shapes in carriers", Shapes::Known);
    report_shapes(&redactor, "shapes in carriers that were set aside", Shapes::Unseen);
    report_look_alikes(&redactor);
    Ok(())
}

fn report_shapes(redactor: &Redactor, name: &str, shapes: Shapes) {
    let mut groups: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for secret in planted::shown(shapes, planted::SEED) {
        let (removed, all) = groups.entry(secret.group).or_default();
        *all += 1;
        *removed += u64::from(secret.is_removed_from(&redactor.redact(&secret.text).text));
    }
    println!("{name}");
    for (group, (removed, all)) in &groups {
        println!("  {group:<26} {removed:>6} of {all:<6} {:>6.1} %", percent(*removed, *all));
    }
    let (removed, all) = groups.values().fold((0, 0), |sum, next| (sum.0 + next.0, sum.1 + next.1));
    println!("  {:<26} {removed:>6} of {all:<6} {:>6.1} %", "together", percent(removed, all));
}

fn report_look_alikes(redactor: &Redactor) {
    let harmless = planted::look_alikes(planted::SEED);
    let changed = harmless.iter().filter(|text| !text.is_unchanged_in(&redactor.redact(&text.text).text)).count();
    println!("look-alikes in carriers");
    println!("  harmless texts changed     {changed:>6} of {:<6}", harmless.len());
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
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
    println!("{name}");
    println!("  secrets removed            {found:>6} of {secrets:<6} {:>6.1} %", percent(found, secrets));
    println!("  harmless texts changed     {changed:>6} of {harmless:<6} {:>6.1} %", percent(changed, harmless));
    let missed: Vec<String> = missed.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    println!("  missed, by kind            {}", missed.join(", "));
}
