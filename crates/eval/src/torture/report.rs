//! Reports the acts and the failures.

use std::collections::BTreeMap;

use super::acts::Act;

#[derive(Default)]
pub struct Report {
    counts: BTreeMap<&'static str, u64>,
    pub failures: Vec<String>,
    act: String,
}

impl Report {
    pub fn begin(&mut self, number: u32, act: Act) {
        self.act = format!("act {number}, {act:?}");
    }

    pub fn add(&mut self, what: &'static str, many: u64) {
        *self.counts.entry(what).or_default() += many;
    }

    #[cfg(test)]
    pub fn count(&self, what: &str) -> u64 {
        self.counts.get(what).copied().unwrap_or_default()
    }

    pub fn fail(&mut self, what: &str) {
        let failure = format!("{}: {what}", self.act);
        eprintln!("{failure}");
        self.failures.push(failure);
    }

    pub fn print(&self) {
        for (what, count) in &self.counts {
            println!("{count:>9}  {what}");
        }
        println!("{:>9}  failures", self.failures.len());
        self.failures.iter().for_each(|failure| println!("  {failure}"));
    }
}
