//! The options for linking conversations.

use std::path::{Path, PathBuf};

use backstory_engine::MemoryError;
use backstory_engine::ingest::{Format, IngestReport, Ingester, InputPlace, Projects, ReadOptions, find};
use backstory_engine::log::Log;
use backstory_engine::retrieve::{
    KernelName, LinkSessionError, LinkedSession, RetrieveError, link_episode, only_session,
};
use backstory_files as files;
use backstory_language::talk::mask::{GivenMask, MaskReason};
use backstory_language::talk::{LinkOptions, LinksError, Params, Setting};

use crate::actor_registry;
use crate::error::{AppError, ErrorKind};

#[derive(clap::Args, Clone, Debug)]
pub struct Choices {
    /// The kernel that scores candidates
    #[arg(long, value_name = "KERNEL", default_value = "default", help_heading = "Linking a conversation")]
    kernel: KernelChoice,
    /// The kind of conversation; detected by default
    #[arg(long, value_name = "SETTING", help_heading = "Linking a conversation")]
    setting: Option<SettingChoice>,
    /// A speaker who answers; all others ask (may be repeated)
    #[arg(long, value_name = "NAME", help_heading = "Linking a conversation")]
    responder: Vec<String>,
    /// A TOML file of [[actor]] with name, aliases and role
    #[arg(long, value_name = "FILE.toml", help_heading = "Linking a conversation")]
    actors: Option<PathBuf>,
    /// A JSON file with excluded_ranges: lines to ignore
    #[arg(long, value_name = "FILE.json", help_heading = "Linking a conversation")]
    mask: Option<PathBuf>,
    /// Turn a detector off: ooc_hard, ooc_soft, combat, transition, noise, or all (may be repeated)
    #[arg(long, value_name = "DETECTOR", help_heading = "Linking a conversation", conflicts_with = "mask")]
    without: Vec<String>,
    /// The largest distance of an answer: in lines, or with `seed` in lines of answering speakers
    #[arg(long, value_name = "LINES", help_heading = "Linking a conversation")]
    k_local: Option<u32>,
    /// A parameter of the seed kernel: strong_min, weak_min, tau, p, beta or answer_boost (may be repeated)
    #[arg(long = "set", value_name = "NAME=VALUE", help_heading = "Linking a conversation")]
    set: Vec<String>,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum KernelChoice {
    Default,
    Seed,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum SettingChoice {
    Tabletop,
    Chat,
    TwoParty,
}

impl Choices {
    fn are_made(&self) -> bool {
        self.kernel != KernelChoice::Default
            || self.setting.is_some()
            || !self.responder.is_empty()
            || self.actors.is_some()
            || self.mask.is_some()
            || !self.without.is_empty()
            || self.k_local.is_some()
            || !self.set.is_empty()
    }

    /// Rejects options for stored links, which were made with the defaults.
    pub fn need_a_target(&self) -> Result<(), AppError> {
        match self.are_made() {
            true => Err(usage("options for linking a conversation need a session or a file")
                .hint("`backstory sessions` lists the sessions; `backstory links SESSION --kernel seed` links one.")),
            false => Ok(()),
        }
    }

    /// Rejects options for an agent's session, which is linked by structure.
    pub fn need_talk(&self) -> Result<(), AppError> {
        match self.are_made() {
            true => Err(usage(
                "an agent's session is linked by structure; kernels, masks and actors apply to conversations between people",
            )),
            false => Ok(()),
        }
    }

    pub fn options(&self) -> Result<(KernelName, LinkOptions), AppError> {
        let kernel = match self.kernel {
            KernelChoice::Default => KernelName::Default,
            KernelChoice::Seed => KernelName::Seed,
        };
        let setting = self.setting.map(|setting| match setting {
            SettingChoice::Tabletop => Setting::Tabletop,
            SettingChoice::Chat => Setting::Chat,
            SettingChoice::TwoParty => Setting::TwoParty,
        });
        let options = LinkOptions {
            params: self.params()?,
            setting,
            detectors: None,
            without: self.without()?,
            mask: self.mask.as_deref().map(read_mask).transpose()?,
            responders: self.responder.clone(),
            registry: self.actors.as_deref().map(actor_registry::load).transpose()?,
            traces: false,
        };
        Ok((kernel, options))
    }

    fn params(&self) -> Result<Params, AppError> {
        if !self.set.is_empty() && self.kernel != KernelChoice::Seed {
            return Err(usage("--set needs --kernel seed"));
        }
        let mut params = Params::default();
        params.k_local = self.k_local.unwrap_or(params.k_local);
        for setting in &self.set {
            let (name, value) =
                setting.split_once('=').ok_or_else(|| usage(format!("--set {setting}: expected NAME=VALUE")))?;
            let value: f32 = value.parse().map_err(|_| usage(format!("--set {name}: '{value}' is not a number")))?;
            match name {
                "strong_min" => params.strong_min = value,
                "weak_min" => params.weak_min = value,
                "tau" => params.tau = value,
                "p" => params.p = value,
                "beta" => params.beta = value,
                "answer_boost" => params.answer_boost = value,
                _ => {
                    return Err(usage(format!(
                        "--set {name}: expected strong_min, weak_min, tau, p, beta or answer_boost"
                    )));
                }
            }
        }
        Ok(params)
    }

    /// The disabled detectors; the others follow the setting.
    fn without(&self) -> Result<Vec<MaskReason>, AppError> {
        let mut without = Vec::new();
        for name in &self.without {
            match (name.as_str(), MaskReason::parse(name)) {
                ("all", _) => without.extend(MaskReason::ALL),
                (_, Some(reason)) => without.push(reason),
                _ => {
                    let names: Vec<&str> = MaskReason::ALL.iter().map(|reason| reason.name()).collect();
                    return Err(usage(format!("--without {name}: expected {} or all", names.join(", "))));
                }
            }
        }
        Ok(without)
    }
}

const LARGEST_CHOICES: u64 = 64 << 20;

fn usage(message: impl Into<String>) -> AppError {
    AppError::new(ErrorKind::Usage, message)
}

fn read(path: &Path) -> Result<String, AppError> {
    files::read_text(path, LARGEST_CHOICES)
        .map_err(|error| AppError::new(ErrorKind::NotFound, format!("{}: {error}", path.display())))
}

fn read_mask(path: &Path) -> Result<GivenMask, AppError> {
    GivenMask::parse(&read(path)?).map_err(|error| usage(format!("{}: {error}", path.display())))
}

/// Reads a file into a temporary log and links its session.
pub fn link_file(
    path: &Path,
    format: Option<Format>,
    kernel: KernelName,
    options: &LinkOptions,
) -> Result<LinkedSession, AppError> {
    let found = find(&[InputPlace::Given(path.to_owned())], format);
    let mut log = Log::open_in_memory()?;
    let mut report = IngestReport { problems: found.problems, ..IngestReport::default() };
    for task in &found.tasks {
        let (projects, options) = (&mut Projects::new(Vec::new()), ReadOptions::default());
        Ingester { log: &mut log, projects, options, report: &mut report }
            .file(task, None)
            .map_err(MemoryError::from)?;
    }
    let problem = |report: &IngestReport| {
        report.problems.first().map(|problem| format!(": {}", problem.reason)).unwrap_or_default()
    };
    let num = only_session(&mut log).map_err(|error| match error {
        RetrieveError::NotFound { .. } => {
            let message = format!("{}: no transcript was found in it{}", path.display(), problem(&report));
            AppError::new(ErrorKind::NotFound, message)
                .hint("Lines of `Name: text`, JSON lines with speaker and text, or a session of Claude Code or Codex can be read.")
        }
        error @ RetrieveError::Ambiguous { .. } => AppError::new(ErrorKind::Usage, format!("{}: {error}", path.display()))
            .hint("`backstory ingest` adds them to the memory, and `backstory links SESSION` links one."),
        error => error.into(),
    })?;
    Ok(link_episode(&mut log, num, kernel, options)?)
}

impl From<LinkSessionError> for AppError {
    fn from(error: LinkSessionError) -> Self {
        match error {
            LinkSessionError::Retrieve(error) => error.into(),
            LinkSessionError::Store(error) => error.into(),
            LinkSessionError::Links(error @ LinksError::NoSuchResponder { .. }) => {
                usage(error.to_string()).hint("--responder takes a speaker's name; --actors names them with aliases.")
            }
            LinkSessionError::Links(error) => usage(error.to_string()),
        }
    }
}
