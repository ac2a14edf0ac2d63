use clap_complete::Shell;

use crate::error::AppError;
use crate::terminal;

/// Print completions for a shell
///
/// For Zsh: backstory completions zsh > "${fpath[1]}/_backstory"
/// They take effect in the next shell.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct CompletionsCommand {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl CompletionsCommand {
    pub fn run(self) -> Result<(), AppError> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut super::command(), "backstory", &mut script);
        terminal::print(&String::from_utf8_lossy(&script))
    }
}
