//! From measured numbers to what is said about them.

pub fn percentile(times: &[f64], percent: usize) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get((sorted.len() * percent / 100).min(sorted.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}

/// A number beside the most it may be.
pub fn verdict(what: &str, value: f64, target: f64, unit: &str) {
    let word = if value <= target { "met" } else { "MISSED" };
    println!("{what:<34} {value:>9.4}{unit}  (target at most {target:.4}{unit}: {word})");
}
