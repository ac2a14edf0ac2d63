//! A transcript -> its links.

use crate::talk::CausalLink;

use super::cast::{Cast, NoLinks, Registry, Told};
use super::claim::{Trace, claim};
use super::error::LinksError;
use super::intent::intents;
use super::kernel::{Input, Kernel, Params};
use super::lines::{Line, Setting, check_order};
use super::mask::{Detectors, EligibilityMask, GivenMask, Reason, detect};

/// What is to be linked.
pub struct Request<'a> {
    pub session: &'a str,
    pub lines: &'a [Line<'a>],
    pub kernel: &'a dyn Kernel,
    pub options: &'a Options,
}

/// What a person chose; all of it has a default.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub params: Params,
    /// What kind of talk it is; found out when it is not said.
    pub setting: Option<Setting>,
    /// Which detectors look; the setting's when it is not said.
    pub detectors: Option<Detectors>,
    /// Of those, these do not look.
    pub without: Vec<Reason>,
    /// Instead of what detectors find.
    pub mask: Option<GivenMask>,
    /// These answer and all others ask.
    pub responders: Vec<String>,
    pub registry: Option<Registry>,
    /// Keep what became of every candidate.
    pub traces: bool,
}

/// A transcript's links, and how they came about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Linked {
    /// One for each intent, in the order of lines; unclaimed ones too.
    pub links: Vec<CausalLink>,
    pub mask: EligibilityMask,
    pub cast: Cast,
    /// One for each link, when they were asked for.
    pub traces: Vec<Trace>,
    /// Why there are no links.
    pub no_links: Option<NoLinks>,
}

pub fn link(request: Request<'_>) -> Result<Linked, LinksError> {
    let Request { session, lines, kernel, options } = request;
    options.params.check()?;
    check_order(lines)?;
    let told = Told { setting: options.setting, responders: &options.responders, registry: options.registry.as_ref() };
    let cast = Cast::new(lines, told)?;
    let parts = cast.parts();
    let mask = match &options.mask {
        Some(given) => given.compile(session, lines)?,
        None => {
            let mut detectors = options.detectors.unwrap_or(Detectors::of(cast.setting));
            options.without.iter().for_each(|reason| detectors.set(*reason, false));
            EligibilityMask::new(session, lines.len(), detect(lines, &parts, detectors))
        }
    };
    if let Some(reason) = cast.no_links() {
        return Ok(Linked { mask, cast, no_links: Some(reason), ..Linked::default() });
    }
    let named = cast.name(lines);
    let input =
        Input { session, setting: cast.setting, lines: &named, parts: &parts, mask: &mask, params: &options.params };
    let intents = intents(&input);
    let (links, traces) = claim(&input, &intents, kernel);
    let no_links = links.is_empty().then_some(NoLinks::NoIntents);
    let traces = if options.traces { traces } else { Vec::new() };
    drop(named);
    Ok(Linked { links, mask, cast, traces, no_links })
}
