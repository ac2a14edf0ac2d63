//! How many of the links are right?

#[derive(Clone, Copy, Default)]
pub struct Score {
    pub hits: usize,
    pub said: usize,
    pub gold: usize,
}

impl Score {
    pub fn precision(self) -> f64 {
        self.hits as f64 / self.said.max(1) as f64
    }

    pub fn recall(self) -> f64 {
        self.hits as f64 / self.gold.max(1) as f64
    }

    pub fn f1(self) -> f64 {
        2.0 * self.hits as f64 / (self.said + self.gold).max(1) as f64
    }

    pub fn print(self, name: &str) {
        println!("{name:<44} {:>6.3} {:>6.3} {:>6.3}", self.precision(), self.recall(), self.f1());
    }

    pub fn title(what: &str) {
        println!("\n{what}\n{:<44} {:>6} {:>6} {:>6}", "", "P", "R", "F1");
    }
}

impl std::ops::AddAssign for Score {
    fn add_assign(&mut self, other: Score) {
        self.hits += other.hits;
        self.said += other.said;
        self.gold += other.gold;
    }
}

impl std::iter::Sum for Score {
    fn sum<I: Iterator<Item = Score>>(scores: I) -> Score {
        scores.fold(Score::default(), |mut sum, score| {
            sum += score;
            sum
        })
    }
}

/// Prints a number beside its required minimum.
pub fn at_least(what: &str, value: f64, target: f64) {
    let word = if value >= target { "met" } else { "MISSED" };
    println!("{what:<44} {value:>6.3} (target at least {target:.2}: {word})");
}
