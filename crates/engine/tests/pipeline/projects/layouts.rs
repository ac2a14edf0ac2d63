//! Layouts that people really have, and some that are meant to deceive. Each names the sessions
//! that belong together: `ab|c` are two projects, the first with two sessions.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use backstory_engine::ingest::SessionPlace;
use backstory_engine::model::{Project, ProjectId, digest_of};

use super::world::{World, elsewhere, recorded, set_remote};
use crate::desk::TestResult;

pub struct Layout {
    pub name: &'static str,
    pub expected: &'static str,
    pub build: fn(&mut World) -> TestResult<Vec<ProjectId>>,
}

macro_rules! layouts {
    ($($name:literal => $expected:literal, |$world:ident| $body:block)+) => {
        pub const LAYOUTS: &[Layout] = &[$(Layout {
            name: $name,
            expected: $expected,
            build: |$world: &mut World| -> TestResult<Vec<ProjectId>> { $body },
        }),+];
    };
}

const URL: &str = "https://github.com/ada/shop.git";

/// A session in each of these folders, in this order.
fn in_folders(w: &mut World, names: &[&str]) -> TestResult<Vec<ProjectId>> {
    names.iter().map(|name| w.session(name)).collect()
}

layouts! {
    // Copies, templates, forks, clones.
    "copies of a template without remote" => "a|b|c", |w| {
        w.repo("template")?;
        w.copy("template", "one")?;
        w.copy("template", "two")?;
        in_folders(w, &["template", "one", "two"])
    }
    "copies of a template that got remotes of their own" => "a|b", |w| {
        w.repo("template")?;
        w.clone_of("template", "one", "https://github.com/ada/one")?;
        w.clone_of("template", "two", "https://github.com/ada/two")?;
        in_folders(w, &["one", "two"])
    }
    "clones of a template on this machine" => "a|b|c", |w| {
        w.repo("template")?;
        let url = w.path("template").to_string_lossy().into_owned();
        w.clone_of("template", "one", &url)?;
        w.clone_of("template", "two", &url)?;
        in_folders(w, &["template", "one", "two"])
    }
    "clones of a bare repository on this machine" => "ab", |w| {
        let seed = w.repo("seed")?;
        git2::build::RepoBuilder::new().bare(true).clone(&seed.path().to_string_lossy(), &w.path("hub.git"))?;
        let url = w.path("hub.git").to_string_lossy().into_owned();
        w.clone_of("seed", "one", &url)?;
        w.clone_of("seed", "two", &url)?;
        in_folders(w, &["one", "two"])
    }
    "a template clone put to another use while another stays" => "a|b", |w| {
        w.repo_with_remote("template", URL)?;
        let mine = w.clone_of("template", "mine", URL)?;
        let before = in_folders(w, &["template", "mine"])?;
        set_remote(&mine, "https://github.com/ada/mine")?;
        Ok(vec![before[0], w.session("mine")?])
    }
    "a template cloned again after the first clone went its way" => "ab|c", |w| {
        let mine = w.repo_with_remote("mine", URL)?;
        let first = w.session("mine")?;
        set_remote(&mine, "https://github.com/ada/mine")?;
        let second = w.session("mine")?;
        w.clone_of("mine", "third", URL)?;
        Ok(vec![first, second, w.session("third")?])
    }
    "a fork with a remote of its own" => "a|b", |w| {
        w.repo_with_remote("shop", URL)?;
        w.clone_of("shop", "fork", "https://github.com/bob/shop.git")?;
        in_folders(w, &["shop", "fork"])
    }
    "a fork that keeps the original as upstream" => "a|b", |w| {
        w.repo_with_remote("shop", URL)?;
        let fork = w.clone_of("shop", "fork", "git@github.com:bob/shop.git")?;
        fork.remote("upstream", URL)?;
        in_folders(w, &["shop", "fork"])
    }
    "a fork without remote" => "a|b", |w| {
        w.repo_with_remote("shop", URL)?;
        w.copy("shop", "fork")?.remote_delete("origin")?;
        in_folders(w, &["shop", "fork"])
    }
    "two clones of one remote" => "ab", |w| {
        w.repo_with_remote("one/shop", URL)?;
        w.clone_of("one/shop", "two/shop", URL)?;
        in_folders(w, &["one/shop", "two/shop"])
    }
    "a shallow clone after a whole one" => "ab", |w| {
        w.repo_with_remote("shop", URL)?;
        w.shallow("shop", "shallow", URL)?;
        in_folders(w, &["shop", "shallow"])
    }
    "a whole clone after a shallow one" => "ab", |w| {
        w.repo_with_remote("shop", URL)?;
        w.shallow("shop", "shallow", URL)?;
        in_folders(w, &["shallow", "shop"])
    }
    "a shallow clone that is fetched whole" => "ab", |w| {
        w.repo_with_remote("shop", URL)?;
        w.shallow("shop", "shallow", URL)?;
        let before = w.session("shallow")?;
        w.remove("shallow")?;
        w.clone_of("shop", "shallow", URL)?;
        Ok(vec![before, w.session("shallow")?])
    }
    "shallow clones of two remotes" => "a|b", |w| {
        w.repo("shop")?;
        w.shallow("shop", "one", URL)?;
        w.shallow("shop", "two", "https://github.com/bob/shop")?;
        in_folders(w, &["one", "two"])
    }
    "a partial clone" => "ab", |w| {
        let shop = w.repo_with_remote("shop", URL)?;
        let partial = w.clone_of("shop", "partial", URL)?;
        partial.config()?.set_bool("remote.origin.promisor", true)?;
        drop(shop);
        in_folders(w, &["shop", "partial"])
    }
    // Branches and history.
    "an orphan branch is checked out" => "ab", |w| {
        let shop = w.repo_with_remote("shop", URL)?;
        let before = w.session("shop")?;
        fs::write(shop.path().join("HEAD"), "ref: refs/heads/pages\n")?;
        w.commit(&shop, "pages")?;
        Ok(vec![before, w.session("shop")?])
    }
    "another clone stands on an orphan branch" => "ab", |w| {
        w.repo_with_remote("shop", URL)?;
        let pages = w.clone_of("shop", "pages", URL)?;
        fs::write(pages.path().join("HEAD"), "ref: refs/heads/pages\n")?;
        w.commit(&pages, "pages")?;
        in_folders(w, &["shop", "pages"])
    }
    "the first clone stood on an orphan branch" => "ab", |w| {
        let pages = w.repo_with_remote("pages", URL)?;
        fs::write(pages.path().join("HEAD"), "ref: refs/heads/pages\n")?;
        w.commit(&pages, "pages")?;
        let whole = w.clone_of("pages", "shop", URL)?;
        let main = if whole.find_reference("refs/heads/main").is_ok() { "main" } else { "master" };
        fs::write(whole.path().join("HEAD"), format!("ref: refs/heads/{main}\n"))?;
        in_folders(w, &["pages", "shop"])
    }
    "history is rewritten in place" => "ab", |w| {
        let shop = w.repo_with_remote("shop", URL)?;
        let before = w.session("shop")?;
        rewrite(w, &shop)?;
        Ok(vec![before, w.session("shop")?])
    }
    "history is rewritten in place, without remote" => "ab", |w| {
        let shop = w.repo("shop")?;
        let before = w.session("shop")?;
        rewrite(w, &shop)?;
        Ok(vec![before, w.session("shop")?])
    }
    "another history under the same remote, elsewhere" => "a|b", |w| {
        w.repo_with_remote("shop", URL)?;
        w.orphan_clone("other", URL)?;
        in_folders(w, &["shop", "other"])
    }
    "a repository without commits" => "ab|c", |w| {
        git2::Repository::init(w.path("one"))?;
        git2::Repository::init(w.path("two"))?;
        in_folders(w, &["one", "one", "two"])
    }
    "the first commit is made later" => "ab", |w| {
        let shop = git2::Repository::init(w.path("shop"))?;
        let before = w.session("shop")?;
        w.commit(&shop, "first")?;
        Ok(vec![before, w.session("shop")?])
    }
    "a detached head" => "ab", |w| {
        let shop = w.repo_with_remote("shop", URL)?;
        let before = w.session("shop")?;
        let tip = shop.head()?.peel_to_commit()?.id();
        shop.set_head_detached(tip)?;
        Ok(vec![before, w.session("shop")?])
    }
    // Remotes.
    "one remote in many forms" => "abcdefg", |w| {
        w.repo("seed")?;
        let forms = [
            URL,
            "git@github.com:ada/shop.git",
            "ssh://git@github.com:22/ada/shop",
            "https://user:secret@github.com/ada/shop",
            "https://github.com/Ada/Shop/",
            "git://github.com/ada/shop.git",
            "ssh://git@ssh.github.com:443/ada/shop.git",
        ];
        let mut ids = Vec::new();
        for (at, url) in forms.iter().enumerate() {
            w.clone_of("seed", &format!("clone{at}"), url)?;
            ids.push(w.session(&format!("clone{at}"))?);
        }
        Ok(ids)
    }
    "one path on two servers" => "a|b", |w| {
        w.repo_with_remote("one", "https://github.com/ada/shop")?;
        w.clone_of("one", "two", "https://gitlab.com/ada/shop")?;
        in_folders(w, &["one", "two"])
    }
    "one path at two ports of this machine" => "a|b", |w| {
        w.repo_with_remote("one", "http://localhost:3000/ada/shop")?;
        w.clone_of("one", "two", "http://localhost:4000/ada/shop")?;
        in_folders(w, &["one", "two"])
    }
    "the remote is named upstream instead of origin" => "ab", |w| {
        let shop = w.repo_with_remote("shop", URL)?;
        let clone = w.clone_of("shop", "clone", URL)?;
        let before = w.session("shop")?;
        clone.remote_rename("origin", "upstream")?;
        drop(shop);
        Ok(vec![before, w.session("clone")?])
    }
    "the remote is renamed at a known place" => "ab", |w| {
        let shop = w.repo_with_remote("shop", URL)?;
        let before = w.session("shop")?;
        shop.remote_rename("origin", "upstream")?;
        Ok(vec![before, w.session("shop")?])
    }
    "the organisation is renamed, and the new name is cloned" => "abc", |w| {
        let shop = w.repo_with_remote("shop", URL)?;
        let before = w.session("shop")?;
        set_remote(&shop, "https://github.com/lovelace/shop")?;
        let after = w.session("shop")?;
        w.clone_of("shop", "clone", "git@github.com:lovelace/shop.git")?;
        Ok(vec![before, after, w.session("clone")?])
    }
    "a remote is added later, and cloned" => "abc", |w| {
        let shop = w.repo("shop")?;
        let before = w.session("shop")?;
        set_remote(&shop, URL)?;
        let after = w.session("shop")?;
        w.clone_of("shop", "clone", URL)?;
        Ok(vec![before, after, w.session("clone")?])
    }
    "the remote is taken away" => "ab", |w| {
        let shop = w.repo_with_remote("shop", URL)?;
        let before = w.session("shop")?;
        shop.remote_delete("origin")?;
        Ok(vec![before, w.session("shop")?])
    }
    // Worktrees, submodules, nesting.
    "worktrees, inside and outside" => "abcd", |w| {
        let shop = w.repo("shop")?;
        w.worktree(&shop, "shop-fix")?;
        w.plain("shop/.worktrees")?;
        w.worktree(&shop, "shop/.worktrees/two")?;
        w.plain("shop-fix/deep/down")?;
        in_folders(w, &["shop", "shop-fix", "shop/.worktrees/two", "shop-fix/deep/down"])
    }
    "a bare repository with worktrees" => "abc", |w| {
        let seed = w.repo("seed")?;
        let url = seed.path().to_string_lossy().into_owned();
        let bare = git2::build::RepoBuilder::new().bare(true).clone(&url, &w.path("shop.git"))?;
        w.worktree(&bare, "one")?;
        w.worktree(&bare, "two")?;
        in_folders(w, &["shop.git", "one", "two"])
    }
    "a bare repository inside the project folder" => "ab", |w| {
        let seed = w.repo("seed")?;
        let url = seed.path().to_string_lossy().into_owned();
        let bare = git2::build::RepoBuilder::new().bare(true).clone(&url, &w.path("shop/.bare"))?;
        w.write("shop/.git", "gitdir: ./.bare\n")?;
        w.worktree(&bare, "shop/main")?;
        in_folders(w, &["shop", "shop/main"])
    }
    "a worktree that was moved by hand" => "a|b", |w| {
        let shop = w.repo("shop")?;
        w.worktree(&shop, "fix")?;
        let main = w.session("shop")?;
        w.rename("fix", "moved")?;
        Ok(vec![main, w.session("moved")?])
    }
    "a deleted worktree inside its repository" => "ab", |w| {
        w.repo("shop")?;
        in_folders(w, &["shop", "shop/.claude/worktrees/gone"])
    }
    "a submodule" => "a|bc", |w| {
        w.repo("shop")?;
        submodule(w, "shop", "lib")?;
        w.plain("shop/lib/src")?;
        in_folders(w, &["shop", "shop/lib", "shop/lib/src"])
    }
    "a nested repository" => "a|b", |w| {
        w.repo("shop")?;
        w.repo("shop/vendor/lib")?;
        in_folders(w, &["shop", "shop/vendor/lib"])
    }
    "folders of one large repository" => "abcd", |w| {
        w.repo("mono")?;
        w.plain("mono/packages/cart")?;
        w.plain("mono/packages/pay")?;
        in_folders(w, &["mono", "mono/packages/cart", "mono/packages/pay", "mono/gone"])
    }
    "a git folder that lies apart and says so" => "ab", |w| {
        apart(w, "shop", "gits/shop.git")?;
        w.plain("shop/src")?;
        in_folders(w, &["shop", "shop/src"])
    }
    "from inside the .git folder" => "ab", |w| {
        w.repo("shop")?;
        in_folders(w, &["shop", "shop/.git/hooks"])
    }
    // Home folders and other shared folders.
    "folders without repository below a home that is one" => "a|b|c", |w| {
        w.repo("home")?;
        w.plain("home/notes")?;
        w.plain("home/letters")?;
        in_folders(w, &["home", "home/notes", "home/letters"])
    }
    "a folder that the home's repository tracks" => "ab", |w| {
        let home = w.repo("home")?;
        w.write("home/.config/editor/init", "set number\n")?;
        let mut index = home.index()?;
        index.add_path(std::path::Path::new(".config/editor/init"))?;
        index.write()?;
        in_folders(w, &["home", "home/.config/editor"])
    }
    "deleted folders below a home that is a repository" => "a|b|c", |w| {
        w.repo("home")?;
        in_folders(w, &["home", "home/gone", "home/lost"])
    }
    "a repository below a home that is one" => "a|b", |w| {
        w.repo("home")?;
        w.repo("home/shop")?;
        in_folders(w, &["home", "home/shop"])
    }
    "folders below a repository above the home" => "a|b", |w| {
        w.repo("")?;
        w.plain("one")?;
        w.plain("two")?;
        in_folders(w, &["one", "two"])
    }
    "the home folder itself, without repository" => "a|b", |w| {
        w.plain("home/notes")?;
        in_folders(w, &["home", "home/notes"])
    }
    "the root folder" => "a|b", |w| {
        let root = SessionPlace { folder: "/".to_owned(), ..SessionPlace::default() };
        w.plain("x")?;
        Ok(vec![w.session_at(&root)?, w.session("x")?])
    }
    "scratch folders" => "a|b", |w| {
        w.plain("tmp/tmp.a1")?;
        w.plain("tmp/tmp.b2")?;
        in_folders(w, &["tmp/tmp.a1", "tmp/tmp.b2"])
    }
    // Deception and damage.
    "a .git file that names another project" => "a|b", |w| {
        w.repo_with_remote("secret", URL)?;
        let git = w.path("secret/.git");
        w.write("evil/.git", &format!("gitdir: {}\n", git.display()))?;
        in_folders(w, &["secret", "evil"])
    }
    "a .git file that names another project's worktree" => "a|b", |w| {
        let secret = w.repo("secret")?;
        w.worktree(&secret, "fix")?;
        fs::create_dir(w.path("evil"))?;
        fs::copy(w.path("fix/.git"), w.path("evil/.git"))?;
        in_folders(w, &["secret", "evil"])
    }
    "a .git link to another project" => "a|b", |w| {
        w.repo("secret")?;
        w.plain("evil")?;
        w.link("secret/.git", "evil/.git")?;
        in_folders(w, &["secret", "evil"])
    }
    "a .git folder with a commondir of another project" => "a|b", |w| {
        w.repo("secret")?;
        w.repo("evil")?;
        let git = w.path("secret/.git");
        w.write("evil/.git/commondir", &format!("{}\n", git.display()))?;
        in_folders(w, &["secret", "evil"])
    }
    "a made-up worktree that names another project" => "a|b", |w| {
        w.repo("secret")?;
        let (git, own) = (w.path("secret/.git"), w.path("evil/fake"));
        w.write("evil/fake/commondir", &format!("{}\n", git.display()))?;
        w.write("evil/fake/gitdir", &format!("{}\n", w.path("evil/.git").display()))?;
        w.write("evil/fake/HEAD", "ref: refs/heads/main\n")?;
        w.write("evil/.git", &format!("gitdir: {}\n", own.display()))?;
        in_folders(w, &["secret", "evil"])
    }
    "a .git folder whose objects are a link to another project's" => "a|b", |w| {
        w.repo("secret")?;
        w.repo("evil")?;
        w.remove("evil/.git/objects")?;
        w.link("secret/.git/objects", "evil/.git/objects")?;
        in_folders(w, &["secret", "evil"])
    }
    "a repository that borrows another's objects, without remote" => "a|b", |w| {
        let secret = w.repo("secret")?;
        w.repo("evil")?;
        let objects = w.path("secret/.git/objects");
        w.write("evil/.git/objects/info/alternates", &format!("{}\n", objects.display()))?;
        let tip = secret.head()?.peel_to_commit()?.id();
        w.write("evil/.git/HEAD", &format!("{tip}\n"))?;
        in_folders(w, &["secret", "evil"])
    }
    "core.worktree that names another project" => "a|b", |w| {
        w.repo("secret")?;
        let evil = w.repo("evil")?;
        evil.config()?.set_str("core.worktree", &w.path("secret").to_string_lossy())?;
        in_folders(w, &["secret", "evil"])
    }
    "a bare repository that came with a clone and names another remote" => "a|bc", |w| {
        w.repo_with_remote("secret", URL)?;
        w.repo("evil")?;
        let bare = git2::Repository::init_bare(w.path("evil/docs"))?;
        set_remote(&bare, URL)?;
        w.write("evil/docs/shallow", "0000000000000000000000000000000000000001\n")?;
        in_folders(w, &["secret", "evil", "evil/docs"])
    }
    "an unreadable .git" => "ab|c", |w| {
        let shop = w.repo("shop")?;
        w.repo("outer")?;
        let before = w.session("shop")?;
        fs::set_permissions(shop.path(), fs::Permissions::from_mode(0o000))?;
        let during = w.session("shop")?;
        fs::set_permissions(shop.path(), fs::Permissions::from_mode(0o700))?;
        Ok(vec![before, during, w.session("outer")?])
    }
    "a damaged .git" => "ab", |w| {
        w.repo("shop")?;
        let before = w.session("shop")?;
        fs::remove_file(w.path("shop/.git/HEAD"))?;
        Ok(vec![before, w.session("shop")?])
    }
    "a damaged .git inside another repository" => "a|b", |w| {
        w.repo("outer")?;
        w.plain("outer/inner/.git")?;
        in_folders(w, &["outer", "outer/inner"])
    }
    "a .git file without sense" => "a|b", |w| {
        w.write("one/.git", "gitdir: /nowhere/at/all\n")?;
        w.write("two/.git", "gitdir: /nowhere/at/all\n")?;
        in_folders(w, &["one", "two"])
    }
    // Moving, renaming, deleting.
    "a moved repository" => "ab", |w| {
        w.repo("shop")?;
        let before = w.session("shop")?;
        w.rename("shop", "archive/shop")?;
        Ok(vec![before, w.session("archive/shop")?])
    }
    "a moved repository with a remote" => "ab", |w| {
        w.repo_with_remote("shop", URL)?;
        let before = w.session("shop")?;
        w.rename("shop", "work/shop")?;
        Ok(vec![before, w.session("work/shop")?])
    }
    "a renamed folder without repository" => "ab", |w| {
        w.plain("notes")?;
        let before = w.session("notes")?;
        w.rename("notes", "letters")?;
        Ok(vec![before, w.session("letters")?])
    }
    "a renamed folder, and another project under its old name" => "ab|c", |w| {
        w.repo("shop")?;
        let before = w.session("shop")?;
        w.rename("shop", "shop-old")?;
        let moved = w.session("shop-old")?;
        w.plain("shop")?;
        Ok(vec![before, moved, w.session("shop")?])
    }
    "a folder without repository renamed, and another under its old name" => "ab|c", |w| {
        w.plain("notes")?;
        let before = w.session("notes")?;
        w.rename("notes", "notes-old")?;
        let moved = w.session("notes-old")?;
        w.plain("notes")?;
        Ok(vec![before, moved, w.session("notes")?])
    }
    "a copy of a moved template" => "ab|c", |w| {
        w.repo("template")?;
        let before = w.session("template")?;
        w.rename("template", "elsewhere")?;
        let moved = w.session("elsewhere")?;
        w.copy("elsewhere", "copy")?;
        Ok(vec![before, moved, w.session("copy")?])
    }
    "a deleted folder" => "ab", |w| {
        w.repo("shop")?;
        let before = w.session("shop")?;
        w.remove("shop")?;
        Ok(vec![before, w.session("shop")?])
    }
    "a folder recreated as another repository" => "a|b", |w| {
        w.repo("shop")?;
        let before = w.session("shop")?;
        w.remove("shop")?;
        w.repo("shop")?;
        Ok(vec![before, w.session("shop")?])
    }
    "a folder recreated without repository" => "a|b", |w| {
        w.repo("shop")?;
        let before = w.session("shop")?;
        w.remove("shop")?;
        w.plain("shop")?;
        Ok(vec![before, w.session("shop")?])
    }
    "a folder becomes a repository" => "ab", |w| {
        w.plain("shop")?;
        let before = w.session("shop")?;
        w.repo("shop")?;
        Ok(vec![before, w.session("shop")?])
    }
    "a folder is replaced by a repository" => "a|b", |w| {
        w.plain("shop")?;
        let before = w.session("shop")?;
        w.rename("shop", "kept")?;
        w.repo_with_remote("shop", URL)?;
        Ok(vec![before, w.session("shop")?])
    }
    "a folder becomes a clone of a known project" => "a|bc", |w| {
        w.plain("shop")?;
        let before = w.session("shop")?;
        w.repo_with_remote("known", URL)?;
        let known = w.session("known")?;
        w.remove("shop")?;
        w.clone_of("known", "shop", URL)?;
        Ok(vec![before, known, w.session("shop")?])
    }
    // Names and spellings of paths.
    "folders of the same name" => "a|b", |w| {
        w.plain("ada/shop")?;
        w.plain("bob/shop")?;
        in_folders(w, &["ada/shop", "bob/shop"])
    }
    "folders whose names differ in case" => "a|b", |w| {
        w.plain("Shop")?;
        w.plain("shop")?;
        in_folders(w, &["Shop", "shop"])
    }
    "a link to the project folder" => "abc", |w| {
        w.repo("shop")?;
        w.link("shop", "short")?;
        w.plain("shop/src")?;
        in_folders(w, &["shop", "short", "short/src"])
    }
    "a path with detours" => "abc", |w| {
        w.repo("shop")?;
        w.plain("shop/src")?;
        in_folders(w, &["shop", "shop/src/..", "shop/./src/"])
    }
    "paths of Windows in several spellings" => "abc|d", |w| {
        let at = |folder: &str| SessionPlace { folder: folder.to_owned(), ..SessionPlace::default() };
        Ok(vec![
            w.session_at(&at(r"C:\Users\ada\shop"))?,
            w.session_at(&at(r"c:\users\Ada\shop\"))?,
            w.session_at(&at("C:/Users/ada/shop"))?,
            w.session_at(&at(r"C:\Users\bob\shop"))?,
        ])
    }
    "folders of another machine" => "ab|c", |w| {
        let at = |folder: &str| SessionPlace { folder: folder.to_owned(), ..SessionPlace::default() };
        Ok(vec![
            w.session_at(&at("/nowhere/ada/shop"))?,
            w.session_at(&at("/nowhere/ada/shop/"))?,
            w.session_at(&at("/nowhere/bob/shop"))?,
        ])
    }
    "worktrees of another machine" => "abc", |w| {
        let at = |folder: &str| SessionPlace { folder: folder.to_owned(), ..SessionPlace::default() };
        Ok(vec![
            w.session_at(&at("/nowhere/shop"))?,
            w.session_at(&at("/nowhere/shop/.worktrees/fix"))?,
            w.session_at(&at("/nowhere/shop/.claude/worktrees/fix/src"))?,
        ])
    }
    // Containers, and what sessions record.
    "one container path on two machines" => "ab|c", |w| {
        Ok(vec![
            w.session_at(&elsewhere("/workspace", "/backup/one/.claude"))?,
            w.session_at(&elsewhere("/workspace", "/backup/one/.claude"))?,
            w.session_at(&elsewhere("/workspace", "/backup/two/.claude"))?,
        ])
    }
    "development containers of the same name" => "a|b", |w| {
        Ok(vec![
            w.session_at(&elsewhere("/workspaces/shop", "/backup/one/.claude"))?,
            w.session_at(&elsewhere("/workspaces/shop", "/backup/two/.claude"))?,
        ])
    }
    "one container path, two recorded remotes" => "ac|b", |w| {
        Ok(vec![
            w.session_at(&recorded("/workspace", URL, None))?,
            w.session_at(&recorded("/workspace", "https://github.com/bob/shop", None))?,
            w.session_at(&recorded("/workspace", "git@github.com:ada/shop.git", None))?,
        ])
    }
    "a recorded remote and a clone here" => "ab", |w| {
        w.repo_with_remote("shop", URL)?;
        let here = w.session("shop")?;
        Ok(vec![here, w.session_at(&recorded("/elsewhere/shop", URL, None))?])
    }
    "a clone here after a recorded remote" => "ab", |w| {
        let there = w.session_at(&recorded("/elsewhere/shop", URL, None))?;
        w.repo_with_remote("shop", URL)?;
        Ok(vec![there, w.session("shop")?])
    }
    "a recorded remote that the repository had before" => "ab", |w| {
        let shop = w.repo_with_remote("shop", URL)?;
        let tip = shop.head()?.peel_to_commit()?.id().to_string();
        set_remote(&shop, "https://github.com/lovelace/shop")?;
        let folder = w.path("shop").to_string_lossy().into_owned();
        let here = w.session("shop")?;
        Ok(vec![here, w.session_at(&recorded(&folder, URL, Some(&tip)))?])
    }
    "a session recorded another repository at a path that is here" => "a|b", |w| {
        w.repo_with_remote("shop", URL)?;
        let folder = w.path("shop").to_string_lossy().into_owned();
        let here = w.session("shop")?;
        Ok(vec![here, w.session_at(&recorded(&folder, "https://github.com/bob/other", None))?])
    }
    "one host records the remote, the other does not" => "ab", |w| {
        w.repo_with_remote("shop", URL)?;
        let folder = w.path("shop").to_string_lossy().into_owned();
        let one = w.session_at(&recorded(&folder, URL, None))?;
        Ok(vec![one, w.session("shop")?])
    }
    // Logs of earlier versions.
    "a stored id stays at its place" => "ab", |w| {
        let shop = w.repo("shop")?;
        let root = root_of(&shop)?;
        let stored = old_row(w, "shop", Some(&root), None)?;
        Ok(vec![stored, w.session("shop")?])
    }
    "a copy of a stored template" => "a|b", |w| {
        let shop = w.repo("shop")?;
        let root = root_of(&shop)?;
        let stored = old_row(w, "shop", Some(&root), None)?;
        w.copy("shop", "copy")?;
        Ok(vec![stored, w.session("copy")?])
    }
    "a clone of a stored project" => "ab", |w| {
        let shop = w.repo_with_remote("shop", URL)?;
        let root = root_of(&shop)?;
        let stored = old_row(w, "shop", Some(&root), Some("github.com/ada/shop"))?;
        w.clone_of("shop", "clone", URL)?;
        Ok(vec![stored, w.session("clone")?])
    }
}

/// A row as earlier versions wrote it.
fn old_row(w: &mut World, name: &str, root: Option<&str>, remote: Option<&str>) -> TestResult<ProjectId> {
    let parts = [b"repository", root.unwrap_or("").as_bytes(), remote.unwrap_or("").as_bytes()];
    let id = ProjectId(digest_of("project", &parts));
    let path = w.path(name).to_string_lossy().into_owned();
    w.known(Project { id, path, root_commit: root.map(str::to_owned), remote: remote.map(str::to_owned) })
}

fn root_of(repository: &git2::Repository) -> TestResult<String> {
    let mut commit = repository.head()?.peel_to_commit()?;
    while let Ok(parent) = commit.parent(0) {
        commit = parent;
    }
    Ok(commit.id().to_string())
}

/// Gives a repository a history without any commit of the old one.
fn rewrite(w: &mut World, repository: &git2::Repository) -> TestResult {
    let head = fs::read_to_string(repository.path().join("HEAD"))?;
    let branch = head.trim().strip_prefix("ref: ").ok_or("no branch")?.to_owned();
    fs::remove_file(repository.path().join(&branch))?;
    for entry in fs::read_dir(repository.path().join("objects"))? {
        let folder = entry?.path();
        if folder.file_name().is_some_and(|name| name.len() == 2) {
            fs::remove_dir_all(folder)?;
        }
    }
    let fresh = git2::Repository::open(repository.path())?;
    w.commit(&fresh, "rewritten")?;
    Ok(())
}

/// A submodule as `git submodule add` leaves it.
fn submodule(w: &mut World, name: &str, sub: &str) -> TestResult {
    let seed = w.repo("lib-seed")?;
    let url = seed.path().to_string_lossy().into_owned();
    let git = w.path(&format!("{name}/.git/modules/{sub}"));
    fs::create_dir_all(git.parent().ok_or("no parent")?)?;
    let module = git2::build::RepoBuilder::new().bare(true).clone(&url, &git)?;
    module.config()?.set_str("core.worktree", &format!("../../../{sub}"))?;
    w.write(&format!("{name}/{sub}/.git"), &format!("gitdir: ../.git/modules/{sub}\n"))
}

fn apart(w: &mut World, name: &str, git: &str) -> TestResult {
    let seed = w.repo("apart-seed")?;
    let url = seed.path().to_string_lossy().into_owned();
    fs::create_dir_all(w.path("gits"))?;
    let bare = git2::build::RepoBuilder::new().bare(true).clone(&url, &w.path(git))?;
    bare.config()?.set_str("core.worktree", &w.path(name).to_string_lossy())?;
    let target = w.path(git);
    w.write(&format!("{name}/.git"), &format!("gitdir: {}\n", target.display()))
}
