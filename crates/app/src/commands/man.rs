use std::path::{Path, PathBuf};

use clap::Command;
use clap_mangen::Man;

use crate::error::{AppError, ErrorKind};
use crate::{permissions, terminal};

/// Print the manual page, or write all pages to a folder
///
/// With --out it writes one page for each command; then `man backstory` and
/// `man backstory-search` find them.
#[derive(clap::Args)]
pub struct ManCommand {
    /// Write all pages to this folder
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

impl ManCommand {
    pub fn run(self) -> Result<(), AppError> {
        let mut command = super::command();
        command.build();
        let Some(folder) = self.out else {
            return terminal::print(&page(&command)?);
        };
        std::fs::create_dir_all(&folder).map_err(|error| failed(&folder, error))?;
        let written = write_pages(&command, &folder)?;
        terminal::print(&format!("{} in {}\n", terminal::count(written, "page"), folder.display()))
    }
}

/// One page per command, named as typed, with dashes.
fn write_pages(command: &Command, folder: &Path) -> Result<u64, AppError> {
    let path = folder.join(format!("{}.1", command.get_display_name().unwrap_or(command.get_name())));
    std::fs::write(&path, page(command)?)
        .and_then(|()| permissions::share(&path))
        .map_err(|error| failed(&path, error))?;
    let inner = command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help");
    inner.map(|inner| write_pages(inner, folder)).try_fold(1, |all, written| Ok(all + written?))
}

fn page(command: &Command) -> Result<String, AppError> {
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

fn failed(path: &Path, error: std::io::Error) -> AppError {
    AppError::new(ErrorKind::Failed, format!("{}: {error}", path.display()))
}
