//! Validates the parameters.

use super::error::LinksError;
use super::kernel::Params;

/// The maximum distance between a line and its answer.
pub const FARTHEST: u32 = 1_000;

impl Params {
    pub fn check(&self) -> Result<(), LinksError> {
        if !(1..=FARTHEST).contains(&self.k_local) {
            let allowed = format!("it must be from 1 to {FARTHEST}");
            return Err(LinksError::Parameter { name: "k_local", value: self.k_local.to_string(), allowed });
        }
        above_zero("tau", self.tau, 1_000.0)?;
        above_zero("p", self.p, 100.0)?;
        within("beta", self.beta, 10.0, "")?;
        within("answer_boost", self.answer_boost, 10.0, "")?;
        let most = 1.0 + self.beta + self.answer_boost;
        let why = ", the highest score that the other parameters allow";
        within("strong_min", self.strong_min, most, why)?;
        within("weak_min", self.weak_min, most, why)
    }
}

fn above_zero(name: &'static str, value: f32, most: f32) -> Result<(), LinksError> {
    if value > 0.0 && value <= most {
        return Ok(());
    }
    let allowed = format!("it must be above 0 and at most {most}");
    Err(LinksError::Parameter { name, value: value.to_string(), allowed })
}

fn within(name: &'static str, value: f32, most: f32, why: &str) -> Result<(), LinksError> {
    if (0.0..=most).contains(&value) {
        return Ok(());
    }
    let allowed = format!("it must be from 0 to {most}{why}");
    Err(LinksError::Parameter { name, value: value.to_string(), allowed })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(change: impl Fn(&mut Params)) -> String {
        let mut params = Params::default();
        change(&mut params);
        params.check().expect_err("a bad parameter").to_string()
    }

    #[test]
    fn absurd_ones_are_refused() {
        assert_eq!(Params::default().check(), Ok(()));
        assert_eq!(wrong(|params| params.k_local = 0), "parameter k_local is 0: it must be from 1 to 1000");
        assert_eq!(wrong(|params| params.k_local = 5_000), "parameter k_local is 5000: it must be from 1 to 1000");
        assert_eq!(wrong(|params| params.tau = -2.0), "parameter tau is -2: it must be above 0 and at most 1000");
        assert_eq!(wrong(|params| params.p = f32::NAN), "parameter p is NaN: it must be above 0 and at most 100");
        assert_eq!(wrong(|params| params.beta = f32::INFINITY), "parameter beta is inf: it must be from 0 to 10");
        assert_eq!(
            wrong(|params| params.strong_min = 1.7),
            "parameter strong_min is 1.7: it must be from 0 to 1.65, the highest score that the other parameters allow"
        );
        assert_eq!(
            wrong(|params| params.weak_min = -0.1),
            "parameter weak_min is -0.1: it must be from 0 to 1.65, the highest score that the other parameters allow"
        );
    }
}
