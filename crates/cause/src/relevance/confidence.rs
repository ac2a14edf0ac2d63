//! How sure is a statement, and what is that based on? A ranking score is never a confidence.

/// A share with its basis.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ConfidenceValue {
    /// It follows from the code itself: true or false.
    Deterministic { value: f32 },
    /// Computed from other numbers.
    Derived { value: f32, formula: &'static str, inputs: Vec<(&'static str, f32)> },
    /// Counted on known cases, with a 95 % interval.
    Measured { value: f32, dataset: &'static str, n: u32, low: f32, high: f32 },
    /// Only its bounds are known.
    Bounded { low: f32, high: f32, basis: &'static str },
    /// Nothing is known.
    Absent { reason: String },
}

impl ConfidenceValue {
    pub fn absent(reason: impl Into<String>) -> Self {
        Self::Absent { reason: reason.into() }
    }

    /// The value to use; for a bounded one, the lower bound.
    pub fn value(&self) -> Option<f32> {
        match self {
            Self::Deterministic { value } | Self::Derived { value, .. } | Self::Measured { value, .. } => Some(*value),
            Self::Bounded { low, .. } => Some(*low),
            Self::Absent { .. } => None,
        }
    }

    /// A sequence is as certain as its weakest step.
    pub fn in_sequence(steps: &[Self]) -> Self {
        Self::combined(steps, "min", |values| values.iter().copied().fold(1.0, f32::min))
    }

    /// All must hold.
    pub fn all_of(parts: &[Self]) -> Self {
        Self::combined(parts, "product", |values| values.iter().product())
    }

    /// One is enough.
    pub fn any_of(parts: &[Self]) -> Self {
        Self::combined(parts, "1 - product(1 - c)", |values| {
            1.0 - values.iter().map(|value| 1.0 - value).product::<f32>()
        })
    }

    /// One unknown part makes the whole unknown.
    fn combined(parts: &[Self], formula: &'static str, combine: impl Fn(&[f32]) -> f32) -> Self {
        if let Some(absent) = parts.iter().find(|part| part.value().is_none()) {
            return absent.clone();
        }
        let values: Vec<f32> = parts.iter().filter_map(Self::value).collect();
        if values.is_empty() {
            return Self::absent("nothing to combine");
        }
        Self::Derived { value: combine(&values), formula, inputs: values.iter().map(|value| ("c", *value)).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::ConfidenceValue as C;

    #[test]
    fn confidences_combine() {
        let parts = [C::Deterministic { value: 0.5 }, C::Bounded { low: 0.2, high: 0.9, basis: "x" }];
        assert_eq!(C::in_sequence(&parts).value(), Some(0.2));
        assert!((C::all_of(&parts).value().unwrap() - 0.1).abs() < 1e-6);
        assert!((C::any_of(&parts).value().unwrap() - 0.6).abs() < 1e-6);
    }

    #[test]
    fn what_is_absent_stays_absent() {
        let parts = [C::Deterministic { value: 1.0 }, C::absent("never measured")];
        for combined in [C::in_sequence(&parts), C::all_of(&parts), C::any_of(&parts)] {
            assert_eq!(combined, C::absent("never measured"));
        }
        assert_eq!(C::all_of(&[]).value(), None);
    }
}
