use super::repository::{Around, around};
use super::*;

#[test]
fn folders_that_are_not_here_are_told_apart_by_path() {
    let mut projects = Projects::default();
    let shop = projects.of_folder("/nowhere/ada/shop");
    assert_eq!(shop.id, projects.of_folder("/nowhere/ada/shop/").id);
    assert_ne!(shop.id, projects.of_folder("/nowhere/bob/shop").id);
    assert_eq!(shop.name(), "shop");
    assert_eq!(shop.id, projects.of_folder("/nowhere/ada/shop/.worktrees/ada/fix").id);
}

/// Pipes and endless files in the place of a repository's files end nothing.
#[cfg(unix)]
#[test]
fn only_regular_files_of_a_repository_are_read() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    for (name, file) in [("a", ".git/HEAD"), ("b", ".git/config"), ("c", ".git/shallow"), ("d", ".git")] {
        let place = std::fs::canonicalize(folder.path())?.join(name);
        if file == ".git" {
            std::fs::create_dir_all(&place)?;
        } else {
            git2::Repository::init(&place)?;
            let _ = std::fs::remove_file(place.join(file));
        }
        std::os::unix::fs::symlink("/dev/zero", place.join(file))?;
        let found = around(&place, None);
        assert!(matches!(found, Around::Unproven(_)) || name == "c", "{name}: {found:?}");
        let project = Projects::default().of_folder(&place.to_string_lossy());
        assert_eq!((project.path.as_str(), project.remote), (&*place.to_string_lossy(), None));
    }
    Ok(())
}
