//! Who speaks, and who is addressed?

use std::collections::HashMap;

/// A speaker's number within one reading.
pub(super) type Who = u32;

/// No speaker.
pub(super) const NOBODY: Who = u32::MAX;

/// Shorter forms are more often ordinary words than names.
const SHORTEST_FORM: usize = 3;

/// Speakers and the forms of their names, added as they first speak.
#[derive(Default)]
pub(super) struct SpeakerNames {
    numbers: HashMap<Box<str>, Who>,
    /// In lower case; several speakers may share a form.
    forms: HashMap<Box<str>, Vec<Who>>,
    /// A name's whole form, by speaker.
    whole: Vec<Box<str>>,
}

impl SpeakerNames {
    /// The speaker's number and whether this is the first line.
    pub fn speaker(&mut self, name: &str) -> (Who, bool) {
        let name = name.trim();
        if name.is_empty() {
            return (NOBODY, false);
        }
        if let Some(known) = self.numbers.get(name) {
            return (*known, false);
        }
        let who = self.whole.len() as Who;
        let whole = name.to_lowercase();
        for form in forms_of(&whole) {
            let speakers = self.forms.entry(form.into()).or_default();
            if !speakers.contains(&who) {
                speakers.push(who);
            }
        }
        self.numbers.insert(name.into(), who);
        self.whole.push(whole.into_boxed_str());
        (who, true)
    }

    /// The speakers with this form of a name, in lower case.
    pub fn named(&self, form: &str) -> &[Who] {
        self.forms.get(form).map_or(&[], Vec::as_slice)
    }

    pub fn is_whole(&self, who: Who, form: &str) -> bool {
        self.whole.get(who as usize).is_some_and(|whole| **whole == *form)
    }

    /// Whether the name starts with `form`, as people type half of a nick.
    pub fn begins(&self, who: Who, form: &str) -> bool {
        form.len() >= SHORTEST_FORM && self.whole.get(who as usize).is_some_and(|whole| whole.starts_with(form))
    }
}

/// The whole name; without marks around it; up to a mark inside it; its first
/// word; without digits at its end.
fn forms_of(whole: &str) -> Vec<&str> {
    let mut forms = vec![whole];
    let mut add = |form| {
        if str::len(form) >= SHORTEST_FORM && !crate::text::is_stop_word(form) && !forms.contains(&form) {
            forms.push(form);
        }
    };
    let bare = whole.trim_matches(|letter: char| !letter.is_alphanumeric());
    add(bare);
    let head = bare.split(|letter: char| !letter.is_alphanumeric() && letter != '-').next().unwrap_or(bare);
    add(head);
    add(head.trim_end_matches(|letter: char| letter.is_ascii_digit()));
    forms
}
