//! A transcript -> its links.

use crate::talk::CausalLink;

use super::claim::{Trace, claim};
use super::error::LinksError;
use super::intent::intents;
use super::kernel::{Kernel, KernelInput, Params};
use super::lines::{Setting, TalkLine, check_order};
use super::mask::{Detectors, EligibilityMask, GivenMask, MaskReason, detect};
use super::participants::{NoLinks, ParticipantHints, Participants, Registry};

/// The transcript and the options.
pub struct Request<'a> {
    pub session: &'a str,
    pub lines: &'a [TalkLine<'a>],
    pub kernel: &'a dyn Kernel,
    pub options: &'a LinkOptions,
}

/// A person's options; all have defaults.
#[derive(Clone, Debug, Default)]
pub struct LinkOptions {
    pub params: Params,
    /// The kind of conversation; detected by default.
    pub setting: Option<Setting>,
    /// The detectors; by default those of the setting.
    pub detectors: Option<Detectors>,
    /// Detectors to disable.
    pub without: Vec<MaskReason>,
    /// Replaces the detected mask.
    pub mask: Option<GivenMask>,
    /// These answer and all others ask.
    pub responders: Vec<String>,
    pub registry: Option<Registry>,
    /// Keep the fate of every candidate.
    pub traces: bool,
}

/// A transcript's links, with their derivation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Linked {
    /// One for each intent, in line order, including unclaimed ones.
    pub links: Vec<CausalLink>,
    pub mask: EligibilityMask,
    pub participants: Participants,
    /// One for each link, if requested.
    pub traces: Vec<Trace>,
    /// Why there are no links.
    pub no_links: Option<NoLinks>,
}

pub fn link(request: Request<'_>) -> Result<Linked, LinksError> {
    let Request { session, lines, kernel, options } = request;
    options.params.check()?;
    check_order(lines)?;
    let told = ParticipantHints {
        setting: options.setting,
        responders: &options.responders,
        registry: options.registry.as_ref(),
    };
    let participants = Participants::new(lines, told)?;
    let parts = participants.parts();
    let mask = match &options.mask {
        Some(given) => given.compile(session, lines)?,
        None => {
            let mut detectors = options.detectors.unwrap_or(Detectors::of(participants.setting));
            options.without.iter().for_each(|reason| detectors.turn_off(*reason));
            EligibilityMask::new(session, lines.len(), detect(lines, &parts, detectors))
        }
    };
    if let Some(reason) = participants.no_links() {
        return Ok(Linked { mask, participants, no_links: Some(reason), ..Linked::default() });
    }
    let named = participants.name(lines);
    let input = KernelInput {
        session,
        setting: participants.setting,
        lines: &named,
        parts: &parts,
        mask: &mask,
        params: &options.params,
    };
    let intents = intents(&input);
    let (links, traces) = claim(&input, &intents, kernel);
    let no_links = links.is_empty().then_some(NoLinks::NoIntents);
    let traces = if options.traces { traces } else { Vec::new() };
    drop(named);
    Ok(Linked { links, mask, participants, traces, no_links })
}
