use clap_complete::Shell;

use crate::error::AppError;
use crate::terminal;

/// Print the completions of a shell
///
/// Bash:  backstory completions bash > ~/.local/share/bash-completion/completions/backstory
/// Zsh:   backstory completions zsh > "${fpath[1]}/_backstory"
/// Fish:  backstory completions fish > ~/.config/fish/completions/backstory.fish
///
/// They are in force in the next shell. PowerShell and Elvish are offered too.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct CompletionsCommand {
    /// Whose
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
