//! Statistics of measured numbers, and verdicts about them.

pub fn percentile(times: &[f64], percent: usize) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get((sorted.len() * percent / 100).min(sorted.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}

/// Prints a number beside its allowed maximum.
pub fn verdict(what: &str, value: f64, target: f64, unit: &str) {
    let word = if value <= target { "met" } else { "MISSED" };
    println!("{what:<34} {value:>9.4}{unit}  (target at most {target:.4}{unit}: {word})");
}

/// Prints a number beside its required minimum.
pub fn verdict_at_least(what: &str, value: f64, target: f64) {
    let word = if value >= target { "met" } else { "MISSED" };
    println!("{what:<34} {value:>9.3}  (target at least {target:.2}: {word})");
}

/// The 95 % interval of a share (Wilson).
pub fn wilson(hits: f64, count: f64) -> (f64, f64) {
    const Z: f64 = 1.96;
    if count <= 0.0 {
        return (0.0, 1.0);
    }
    let share = hits / count;
    let middle = share + Z * Z / (2.0 * count);
    let spread = Z * (share * (1.0 - share) / count + Z * Z / (4.0 * count * count)).sqrt();
    let scale = 1.0 + Z * Z / count;
    ((middle - spread) / scale, (middle + spread) / scale)
}

#[cfg(test)]
mod tests {
    use super::wilson;

    #[test]
    fn an_interval_holds_its_share() {
        let (low, high) = wilson(8.0, 10.0);
        assert!((low - 0.490).abs() < 0.001 && (high - 0.943).abs() < 0.001, "{low} {high}");
        assert_eq!(wilson(0.0, 0.0), (0.0, 1.0));
    }
}
