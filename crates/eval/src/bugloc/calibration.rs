//! Do stated probabilities hold? Shares of correct answers, by what was stated.

use super::case::BugCase;
use super::fit;
use super::metrics::{Quality, best};
use crate::stats::wilson;

/// Lower bounds of the bins for leads of the best file.
const LEADS: [f64; 8] = [0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4];
/// Lower bounds of the bins for stated probabilities.
const STATED: [f64; 10] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
/// The sharpness behind the probabilities (`SHARPNESS` in `relevance/model.rs`).
const SHARPNESS_NOW: f64 = 4.0;
const SHARPNESSES: [f64; 8] = [0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0];

pub fn print<'a>(cases: &'a [BugCase], weights: impl Fn(&'a BugCase) -> &'a [f32]) {
    let shipped: Vec<(f64, Quality)> =
        cases.iter().filter_map(|case| Some((case.shown.lead?, case.shown.files))).collect();
    println!("\n== lead of the best file, weights as shipped (for FIRST_RIGHT in relevance/retrieve.rs)");
    leads(&shipped);
    for (lead, bin) in bins(&shipped, &LEADS).into_iter().filter(|(_, bin)| !bin.is_empty()) {
        let (n, hits) = (bin.len(), bin.iter().map(|(_, quality)| quality.all).sum::<f64>());
        let (low, high) = wilson(hits, n as f64);
        let share = hits / n as f64;
        println!("    MeasuredRow {{ lead: {lead}, n: {n}, share: {share:.2}, low: {low:.2}, high: {high:.2} }},");
    }
    let others: Vec<(f64, Quality)> = cases
        .iter()
        .filter_map(|case| {
            let scores = fit::file_scores(case, weights(case));
            let [first, second] = best(&scores, 2)[..] else { return None };
            let lead = 1.0 - f64::from(scores[second]) / f64::from(scores[first]);
            (scores[first] > 0.0).then(|| (lead, fit::files(case, weights(case))))
        })
        .collect();
    println!("\n== lead of the best file, weights of the other repositories");
    leads(&others);

    let with_gold: Vec<&BugCase> = cases.iter().filter(|case| !case.function_gold.is_empty()).collect();
    println!("\n== stated probability of the first document, and whether it is a function of the fix");
    stated(&with_gold.iter().filter_map(|case| case.shown.first).collect::<Vec<_>>());
    println!("\n== stated probability that the cause is among the first five documents, and whether it is");
    stated(&with_gold.iter().map(|case| case.shown.five).collect::<Vec<_>>());
    println!("\n== the most probable answer at other sharpnesses (now {SHARPNESS_NOW})");
    sharpness(&with_gold);
}

/// The items in each bin.
fn bins<T: Copy>(all: &[(f64, T)], edges: &[f64]) -> Vec<(f64, Vec<(f64, T)>)> {
    let at = |value: f64| edges.iter().rposition(|edge| value >= *edge).unwrap_or(0);
    let bin = |bin: usize| all.iter().copied().filter(|(value, _)| at(*value) == bin).collect();
    edges.iter().enumerate().map(|(number, edge)| (*edge, bin(number))).collect()
}

fn leads(all: &[(f64, Quality)]) {
    println!("{:>6} {:>5} {:>12} {:>15} {:>7} {:>15}", "from", "n", "all gold@10", "95 %", "Acc@1", "95 %");
    let every = [("all".to_owned(), all.to_vec())];
    let by_lead = bins(all, &LEADS).into_iter().map(|(edge, bin)| (format!("{edge:.2}"), bin));
    for (name, bin) in by_lead.chain(every).filter(|(_, bin)| !bin.is_empty()) {
        let share = |of: fn(&Quality) -> f64| {
            let hits = bin.iter().map(|(_, quality)| of(quality)).sum::<f64>();
            (hits / bin.len() as f64, wilson(hits, bin.len() as f64))
        };
        let (all_gold, first) = (share(|quality| quality.all), share(|quality| quality.first));
        println!(
            "{name:>6} {:>5} {:>12.3} {:>15} {:>7.3} {:>15}",
            bin.len(),
            all_gold.0,
            format!("{:.3} to {:.3}", all_gold.1.0, all_gold.1.1),
            first.0,
            format!("{:.3} to {:.3}", first.1.0, first.1.1)
        );
    }
}

fn stated(all: &[(f64, bool)]) {
    println!("{:>6} {:>5} {:>12} {:>8} {:>15}", "from", "n", "mean stated", "right", "95 %");
    for (edge, bin) in bins(all, &STATED).into_iter().filter(|(_, bin)| !bin.is_empty()) {
        let count = bin.len() as f64;
        let right = bin.iter().filter(|(_, right)| *right).count() as f64;
        let (low, high) = wilson(right, count);
        println!(
            "{edge:>6.2} {:>5} {:>12.3} {:>8.3} {:>15}",
            bin.len(),
            bin.iter().map(|(stated, _)| stated).sum::<f64>() / count,
            right / count,
            format!("{low:.3} to {high:.3}")
        );
    }
}

/// A softmax with another sharpness is the same distribution raised to a power and renormalised.
fn sharpness(cases: &[&BugCase]) {
    println!(
        "{:>10} {:>12} {:>8} {:>10} {:>10} {:>20}",
        "sharpness", "mean stated", "right", "log loss", "Brier", "log loss, all answers"
    );
    for sharpness in SHARPNESSES {
        let (mut stated, mut right, mut loss, mut brier, mut count) = (0.0, 0.0, 0.0, 0.0, 0.0);
        let (mut of_all, mut answers) = (0.0, 0.0);
        for case in cases {
            let raised: Vec<f64> =
                case.shown.answers.iter().map(|(share, _)| share.powf(sharpness / SHARPNESS_NOW)).collect();
            let total: f64 = raised.iter().sum();
            let again = raised.iter().map(|share| share / total).zip(case.shown.answers.iter().map(|answer| answer.1));
            let Some((share, is_right)) = again.clone().max_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
            stated += share;
            right += f64::from(u8::from(is_right));
            loss += log_loss(share, is_right);
            brier += (share - f64::from(u8::from(is_right))).powi(2);
            count += 1.0;
            for (share, is_right) in again {
                of_all += log_loss(share, is_right);
                answers += 1.0;
            }
        }
        println!(
            "{sharpness:>10.1} {:>12.3} {:>8.3} {:>10.4} {:>10.4} {:>20.4}",
            stated / count,
            right / count,
            loss / count,
            brier / count,
            of_all / answers
        );
    }
}

fn log_loss(share: f64, is_right: bool) -> f64 {
    let share = share.clamp(1e-6, 1.0 - 1e-6);
    if is_right { -share.ln() } else { -(1.0 - share).ln() }
}
