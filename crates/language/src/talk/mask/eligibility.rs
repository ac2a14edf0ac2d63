//! Is a line eligible, and if not, why?

/// One flag per line, with the reasons for exclusion. Unknown lines are eligible.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EligibilityMask {
    pub session: String,
    pub eligible: Vec<bool>,
    /// In order; ranges with different reasons may overlap.
    pub excluded: Vec<ExcludedRange>,
    /// One bit per reason, for each line.
    reasons: Vec<u8>,
    /// The number of excluded lines before each.
    before: Vec<u32>,
}

/// Excluded lines, by position. Both ends are included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct ExcludedRange {
    pub start: u32,
    pub end: u32,
    pub reason: MaskReason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaskReason {
    OocHard,
    OocSoft,
    Combat,
    Transition,
    Noise,
}

impl MaskReason {
    pub const ALL: [MaskReason; 5] =
        [MaskReason::OocHard, MaskReason::OocSoft, MaskReason::Combat, MaskReason::Transition, MaskReason::Noise];

    pub fn name(self) -> &'static str {
        match self {
            MaskReason::OocHard => "ooc_hard",
            MaskReason::OocSoft => "ooc_soft",
            MaskReason::Combat => "combat",
            MaskReason::Transition => "transition",
            MaskReason::Noise => "noise",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl EligibilityMask {
    /// A mask of `lines` lines without those in `excluded`. Adjacent ranges with one reason are merged; parts outside
    /// the transcript are cut off.
    pub fn new(session: &str, lines: usize, mut excluded: Vec<ExcludedRange>) -> Self {
        excluded.retain(|range| range.start <= range.end && (range.start as usize) < lines);
        excluded.iter_mut().for_each(|range| range.end = range.end.min(lines as u32 - 1));
        let excluded = joined(excluded);
        let mut reasons = vec![0; lines];
        for range in &excluded {
            reasons[range.start as usize..=range.end as usize].iter_mut().for_each(|bits| *bits |= range.reason.bit());
        }
        let mut before = Vec::with_capacity(lines + 1);
        let mut count = 0;
        for bits in &reasons {
            before.push(count);
            count += u32::from(*bits != 0);
        }
        before.push(count);
        let eligible = reasons.iter().map(|bits| *bits == 0).collect();
        EligibilityMask { session: session.to_owned(), eligible, excluded, reasons, before }
    }

    pub fn is_eligible(&self, place: usize) -> bool {
        self.eligible.get(place).copied().unwrap_or(true)
    }

    /// Is any line from `first` to `last`, both included, excluded?
    pub fn any_excluded(&self, first: usize, last: usize) -> bool {
        let lines = self.eligible.len();
        let (from, until) = (first.min(lines), last.saturating_add(1).min(lines));
        from < until && self.before[until] > self.before[from]
    }

    /// All reasons why a line is excluded.
    pub fn reasons(&self, place: usize) -> impl Iterator<Item = MaskReason> {
        let bits = self.reasons.get(place).copied().unwrap_or(0);
        MaskReason::ALL.into_iter().filter(move |reason| bits & reason.bit() != 0)
    }

    /// The number of excluded lines.
    pub fn excluded_lines(&self) -> u32 {
        self.before.last().copied().unwrap_or(0)
    }

    /// The number of lines excluded for this reason, alone or among others.
    pub fn lines_with(&self, reason: MaskReason) -> usize {
        self.reasons.iter().filter(|bits| *bits & reason.bit() != 0).count()
    }
}

fn joined(mut ranges: Vec<ExcludedRange>) -> Vec<ExcludedRange> {
    ranges.sort_by_key(|range| (range.reason, range.start, range.end));
    let mut joined: Vec<ExcludedRange> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match joined.last_mut() {
            Some(last) if last.reason == range.reason && range.start <= last.end.saturating_add(1) => {
                last.end = last.end.max(range.end);
            }
            _ => joined.push(range),
        }
    }
    joined.sort();
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u32, end: u32, reason: MaskReason) -> ExcludedRange {
        ExcludedRange { start, end, reason }
    }

    #[test]
    fn lookups_agree_with_the_ranges() {
        let ranges =
            vec![range(2, 3, MaskReason::Noise), range(3, 5, MaskReason::Combat), range(4, 4, MaskReason::Noise)];
        let mask = EligibilityMask::new("s", 8, ranges);
        assert_eq!(mask.excluded, [range(2, 4, MaskReason::Noise), range(3, 5, MaskReason::Combat)]);
        assert_eq!(mask.eligible, [true, true, false, false, false, false, true, true]);
        assert_eq!(mask.reasons(4).collect::<Vec<_>>(), [MaskReason::Combat, MaskReason::Noise]);
        assert_eq!(mask.reasons(6).count(), 0);
        for first in 0..8 {
            for last in first..8 {
                let expected = (first..=last).any(|place| !mask.eligible[place]);
                assert_eq!(mask.any_excluded(first, last), expected, "{first}..={last}");
            }
        }
        assert_eq!((mask.excluded_lines(), mask.lines_with(MaskReason::Noise)), (4, 3));
    }

    #[test]
    fn what_is_outside_is_cut_off() {
        let mask = EligibilityMask::new("s", 2, vec![range(1, 9, MaskReason::Noise), range(5, 6, MaskReason::Combat)]);
        assert_eq!(mask.excluded, [range(1, 1, MaskReason::Noise)]);
        assert_eq!(EligibilityMask::new("s", 0, vec![range(0, 0, MaskReason::Noise)]).excluded, []);
        assert!(mask.is_eligible(7) && !mask.any_excluded(5, 7));
        assert!(EligibilityMask::default().is_eligible(0) && !EligibilityMask::default().any_excluded(0, 4));
    }
}
