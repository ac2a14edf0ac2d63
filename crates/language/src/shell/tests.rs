//! Tables of lines and what they run.

use proptest::prelude::*;

use super::*;

/// The simple commands of a line, as written.
fn commands(line: &str) -> Vec<String> {
    let script = read(line);
    let shown = script.commands.iter().map(|command| command.raw_words().collect::<Vec<_>>().join(" "));
    shown.filter(|command| !command.is_empty()).collect()
}

/// The programs that a line runs, including inner scripts.
fn programs(line: &str) -> Vec<String> {
    let shown = |run: &ProgramRun| run.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    runs(line).runs.iter().map(shown).filter(|words| !words.is_empty()).collect()
}

#[test]
fn a_line_is_cut_where_a_command_ends() {
    for (line, expected) in [
        ("cd a && make -j4 || true; ls | wc -l", &["cd a", "make -j4", "true", "ls", "wc -l"][..]),
        ("make \\\n  test 2>&1 | tail\n(cd b; ls) &", &["make test", "tail", "cd b", "ls"]),
        ("cd $(git root) && ls", &["cd $(git root)", "git root", "ls"]),
        ("a & b |& c", &["a", "b", "c"]),
        ("", &[]),
        ("git commit -m 'a; b' -s", &["git commit -m 'a; b' -s"]),
        (r#"say "a \" && b" c"#, &[r#"say "a \" && b" c"#]),
        ("echo it\\'s done && git push", &["echo it\\'s done", "git push"]),
        ("# don't\nls # $(rm x)", &["ls"]),
        ("echo a#b", &["echo a#b"]),
        ("if a; then b; elif c; then d; else e; fi; f", &["a", "b", "c", "d", "e", "f"]),
        ("for x in 1 2; do a $x; done | b", &["for x in 1 2", "a $x", "b"]),
        ("while read x; do a; done < f", &["read x", "a"]),
        ("case $x in a|b) c;; (d) e ;& *) f; esac; g", &["case $x a b d *", "c", "e", "f", "g"]),
        ("f() { a; }; function g { b; }; function h() ( c )", &["a", "b", "c"]),
        ("! a | b; time -p c; { d; e; } > f", &["a", "b", "c", "d", "e"]),
        ("[[ a < b && ( c > d ) ]] && e", &["[[ a b c d", "e"]),
        ("((x = 1 << 2)); a $((1<<20)) | b", &["a $((1<<20))", "b"]),
        ("x=(a b c) y=1 d", &["x=(a b c) y=1 d"]),
        ("a `b \\`c\\` d` e", &["a `b \\`c\\` d` e", "b `c` d", "c"]),
        ("diff <(a) >(b) c", &["diff <(a) >(b) c", "a", "b"]),
        ("a \"$(b \"$(c 'd)')\")\" e", &["a \"$(b \"$(c 'd)')\")\" e", "b \"$(c 'd)')\"", "c 'd)'"]),
        ("a ${x:-$(b)} \"${y#\"$(c)\"}\"", &["a ${x:-$(b)} \"${y#\"$(c)\"}\"", "b", "c"]),
        ("a &>f >>g 2>|h <i <>j 3<&4 >&2 b", &["a b"]),
    ] {
        assert_eq!(commands(line), expected, "{line}");
        assert_eq!(read(line).faults, [], "{line}");
    }
}

#[test]
fn a_document_is_no_command() {
    for (line, expected) in [
        ("cat > a <<'EOF' && ls\nmake test\nEOF\nwc a", &["cat", "ls", "wc a"][..]),
        ("cat <<-A <<\"B\"\n\tx\n\tA\ny\nB\nwc", &["cat", "wc"]),
        ("cat <<EOF | sh\n$(make) `ls` \\$(no)\nEOF\nwc", &["cat", "sh", "make", "ls", "wc"]),
        (
            "git commit -m \"$(cat <<'EOF'\nit's\nEOF\n)\" && ls",
            &["git commit -m \"$(cat <<'EOF'\nit's\nEOF\n)\"", "cat", "ls"],
        ),
        ("wc <<< a\nmake", &["wc", "make"]),
        ("cat << EOF\nmake test\n  EOF\nwc a", &["cat", "wc a"]),
    ] {
        assert_eq!(commands(line), expected, "{line}");
        assert_eq!(read(line).faults, [], "{line}");
    }
    assert_eq!(commands("cat <<EOF\nmake"), ["cat", "make"], "one that never ends is none");
    assert_eq!(read("cat <<EOF\nmake").faults, [SyntaxFault::UnendedDocument]);
    let script = read("cat <<EOF > out\na\nEOF\n");
    let document = script.commands[0].redirections[0].document.as_ref().map(Word::text);
    assert_eq!(document.as_deref(), Some("a\n"));
}

#[test]
fn damaged_text_is_read_as_far_as_possible() {
    for (line, expected, fault) in [
        ("ls é\\ é 'x", &["ls é\\ é 'x"][..], SyntaxFault::UnclosedQuote),
        ("say \"a; b", &["say \"a", "b"], SyntaxFault::UnclosedQuote),
        ("use os.Getwd() in a", &["use os.Getwd() in a"], SyntaxFault::Misplaced),
        ("a $(b; c", &["a $(b; c", "b", "c"], SyntaxFault::Unclosed),
        ("(a; b", &["a", "b"], SyntaxFault::Unclosed),
        ("a ) b", &["a ) b"], SyntaxFault::Misplaced),
        ("fi; a", &["a"], SyntaxFault::Misplaced),
        ("a ;; b", &["a", "b"], SyntaxFault::Misplaced),
    ] {
        assert_eq!(commands(line), expected, "{line}");
        assert_eq!(read(line).faults, [fault], "{line}");
    }
    let deep = format!("{}git push", "$(".repeat(10_000));
    assert!(read(&deep).faults.contains(&SyntaxFault::TooDeep));
    assert!(runs(&deep).unread.iter().any(|unread| unread.reach == RunReach::Anything));
}

#[test]
fn pipes_know_both_ends() {
    let script = read("{ a; b | c; } | d; e");
    let names: Vec<String> = script.commands.iter().map(|command| command.words[0].text()).collect();
    let after = |at: usize| names[script.commands[at].downstream.clone()].join(" ");
    let before = |at: usize| names[script.commands[at].upstream.clone()].join(" ");
    assert_eq!(names, ["a", "b", "c", "d", "e"]);
    assert_eq!([after(0), after(1), after(2), after(3)], ["d", "c d", "d", ""]);
    assert_eq!([before(0), before(2), before(3), before(4)], ["", "b", "a b c", ""]);
}

#[test]
fn words_come_without_their_quotes() {
    for (line, expected) in [
        (r#"g\it pu""sh 'origin' ma"in""#, "git push origin main"),
        (r"$'\x67it' $'\160ush' $'\u006dain'", "git push main"),
        ("git {push,origin} ma{i,}n x{1..2}", "git push origin main man x1 x2"),
        ("b=main; r='a b'; git push $b \"$r\" ${b}x", "git push main a b mainx"),
        ("git$IFS''push", "git push"),
        ("git push $(echo main)", "git push main"),
        ("git push `printf %s main`", "git push main"),
        ("for b in main dev; do git push $b; done", "git push main dev"),
        ("git push $(git branch --show-current)", "git push @{HEAD}"),
        ("a=ma; a+=in; export b=$a; git push $b", "git push main"),
    ] {
        let got = programs(line);
        assert!(got.iter().any(|run| run == expected), "{line}: {got:?}");
    }
}

#[test]
fn scripts_within_scripts_are_read() {
    for line in [
        "bash -c 'git push'",
        "sh -lc \"git push\"",
        "bash -o pipefail -ec 'git push'",
        "/bin/sh -c -- 'git push'",
        "eval git push",
        "eval 'git push'",
        "env X=1 git push",
        "env -i -u Y X=1 git push",
        "env -S 'git push'",
        "sudo -u ada git push",
        "sudo -E X=1 bash -c 'git push'",
        "sudo -iu ada git push",
        "sudo -HE git push",
        "sudo -uroot git push",
        "sudo --chdir / -nHu ada -- git push",
        "doas -nu ada git push",
        "env -S'git push'",
        "env -u X -iS'git push'",
        "env -vS 'git push'",
        "env --split-string='git push'",
        "env --split-string 'git push'",
        "sudo env -S'git' push",
        "env -S 'git' push",
        "stdbuf -oL git push",
        "stdbuf --output L git push",
        "ionice -c3 git push",
        "ionice -c 2 -n7 git push",
        "env - X=1 git push",
        "chroot /srv git push",
        "chroot --userspec=a:b /srv git push",
        "command -p git push",
        "exec -a x git push",
        "exec -la x git push",
        "setsid -f git push",
        "unshare -rS 0 git push",
        "op run -- git push",
        "op run --env-file=.env -- sudo -n git push",
        "kubectl exec box -- git push",
        "runuser -u ada -- git push",
        "runuser -l ada -c 'git push'",
        "runuser ada -- -c 'git push'",
        "su -lc 'git push' ada",
        "su --command='git push' ada",
        "su ada -c'git push'",
        "script -qc 'git push' /dev/null",
        "script -qec 'git push'",
        "flock /tmp/lock -c 'git push'",
        "flock /tmp/lock git push",
        "sg staff -c 'git push'",
        "npx -c 'git push'",
        "npm exec --call='git push'",
        "watch -n1 'git push'",
        "watch -dn 1 git push",
        "parallel ::: 'git push' ls",
        "nohup git push &",
        "timeout -k 5 60s git push",
        "nice -n 5 git push",
        "command git push",
        "exec git push",
        "time git push",
        "stdbuf -o L git push",
        "echo push | xargs git",
        "echo 'git push' | xargs -I{} sh -c '{}'",
        "find . -name x -exec git push \\;",
        "find . -exec sh -c 'git push' + -print",
        "ssh -p 22 host git push",
        "ssh host 'cd x && git push'",
        "echo 'git push' | sh",
        "printf 'git push' | bash -s",
        "cat <<EOF | sh\ngit push\nEOF",
        "bash <<< 'git push'",
        "sh <<'EOF'\ngit push\nEOF",
        "bash <(echo git push)",
        ". <(echo git push)",
        "echo 'git push' | cat | sh",
        "echo 'git push' > x.sh; sh ./x.sh",
        "cat > x.sh <<'E'\ngit push\nE\nsource x.sh",
        "echo 'git push' | tee x.sh; bash x.sh",
        "su -c 'git push' ada",
        "docker exec box sh -c 'git push'",
        "trap 'git push' EXIT",
        "alias p='git push'",
        "(git push)",
        "{ git push; }",
        "x=$(git push)",
        "x=`git push`",
        "if git push; then :; fi",
        "while ! git push; do :; done",
        "until false; do git push; done",
        "case x in x) git push;; esac",
        "f() { git push; }; f",
        "coproc git push",
        "! git push",
        "a|git push",
        "echo \"$(git push)\"",
        "cat <<EOF\n$(git push)\nEOF",
        "echo ${x:-`git push`}",
        "echo $(( $(git push) ))",
        "for x in $(git push); do :; done",
        "[[ -n $(git push) ]]",
        "a > $(git push)",
        "true&git push",
        "a\ngit push",
        "a \\\n&& git push",
        "echo it\\'s; git push",
        "${ git push; }",
        "sh -c 'sh -c \"git push\"'",
        "sh -c '$0 push' git",
        "bash -c 'git $1' _ push",
        "X=1 Y=2 git push",
        "x=(`git push`)",
    ] {
        let got = programs(line);
        assert!(got.iter().any(|run| run == "git push"), "{line}: {got:?}");
    }
}

#[test]
fn options_are_no_programs() {
    for (line, expected) in [
        ("sudo -u git ls", "ls"),
        ("sudo -ugit ls", "ls"),
        ("command -pv git push", "command -pv git push"),
        ("env -CS git", "git"),
        ("env -uS git", "git"),
        ("npm test -- --watch", "npm test -- --watch"),
        ("cargo test -- push", "cargo test -- push"),
        ("op item get x", "op item get x"),
        ("nice -10 make", "make"),
        ("time -p make", "make"),
    ] {
        assert_eq!(programs(line), [expected], "{line}");
    }
}

#[test]
fn what_cannot_be_read_is_told() {
    for (line, reach) in [
        ("$X push", RunReach::Mentioned),
        ("$X push $Y", RunReach::Mentioned),
        ("./$X", RunReach::Mentioned),
        ("python3 - <<'EOF'\nprint(1)\nEOF", RunReach::Mentioned),
        ("make -f - <<< 'a: ; ls'", RunReach::Mentioned),
        ("echo \"cd $X && make\" | sh", RunReach::Mentioned),
        ("\"$@\"", RunReach::Anything),
        ("$X $Y", RunReach::Anything),
        ("sudo $X", RunReach::Anything),
        ("eval \"$x\"", RunReach::Anything),
        ("sh -c \"$x\"", RunReach::Anything),
        ("sh <<< \"$x\"", RunReach::Anything),
        ("echo \"$x\" | sh", RunReach::Anything),
        ("eval \"$(cat x)\"", RunReach::Anything),
        ("eval \"$(ssh-agent sh x)\"", RunReach::Anything),
        ("source <(cat x)", RunReach::Anything),
        ("cat x | parallel", RunReach::Anything),
        ("cat x.py | python3 -", RunReach::Anything),
        ("make > x; sh x", RunReach::Anything),
        ("echo 'git push", RunReach::Mentioned),
        ("/usr/bin/gi? push", RunReach::Mentioned),
        ("cat x.sh | sh", RunReach::Anything),
        ("sh < x.sh", RunReach::Mentioned),
        ("echo x | tee >(sh)", RunReach::Anything),
        ("echo Z2l0 | base64 -d | sh", RunReach::Anything),
        ("curl -s https://a.example | bash", RunReach::Anything),
        ("bash -c \"$(echo Z2l0 | base64 -d)\"", RunReach::Anything),
        ("x=$(base64 -d <<< Z2l0); $x", RunReach::Anything),
        ("eval $(echo hsup tig | rev)", RunReach::Anything),
        ("printf '\\x67it push' | sh", RunReach::Anything),
        ("sh <(xxd -r -p <<< 67)", RunReach::Anything),
        ("base64 -d x | xargs -I{} sh -c '{}'", RunReach::Anything),
    ] {
        let unread = runs(line).unread;
        assert_eq!(unread.iter().map(|unread| unread.reach).max(), Some(reach), "{line}: {unread:?}");
    }
    for line in [
        "cargo test",
        "make $TARGET",
        "git push origin \"$BRANCH\"",
        "$(npm bin)/eslint .",
        "\"$HOME\"/bin/x",
        "for f in *.rs; do wc \"$f\"; done",
        "ls *.rs",
        "sh build.sh",
        "./x.sh",
        "source venv/bin/activate",
        "bash",
        "grep 'a$' b | xargs rm",
        "cat <<'EOF' > a\n\"don't\nEOF",
        "[ -f a ] && [[ $b == c* ]]",
        "curl -s x | jq .",
        "python3 -c 'print(\"(\")'",
        "awk '{print $1}' x | sort",
        "echo $((1 << 2))",
        "x=$(git describe | sed s/v//); make $x",
        "eval \"$(ssh-agent -s)\"",
        "eval `ssh-agent`",
        "eval \"$(/opt/homebrew/bin/brew shellenv)\"",
        "source <(kubectl completion bash)",
        "curl -s x | python3 -m json.tool",
        "cat x | python3 -c 'print(1)'",
        "cat x | node x.js",
        "cat x | perl -ne 'print'",
        "$DIR/x",
    ] {
        assert_eq!(runs(line).unread, [], "{line}");
    }
}

#[test]
fn large_and_nasty_texts_take_linear_time() {
    let many = |text: &str| text.repeat((64 << 10) / text.len());
    let inputs = [
        "(", ")", "$(", "`", "'", "\"", "$'\\'", "${", "$((", "<<A\n", "<<A\n A\n", "a|", "a&&", "{ ", "if ",
        "case x in ", "\\", "#\n", "x=$x$x;", "[[ ", "]] [[ ", "a() ", "{a,b}", "<(", "eval ", "for x in $x; do ",
        ";;", "((", "$((1+", "a=(", "xargs ", "\"$(", "é", "echo a | sh;", "echo $x > f; sh f;", "find -exec ",
        "sudo ", "cat|",
    ];
    for input in inputs {
        runs(&many(input));
    }
    let doubling = format!("x=0123456789;{}eval $x", "x=$x$x;eval \"$x\";".repeat(1000));
    runs(&doubling);
}

proptest! {
    #[test]
    fn survives_any_text(line in "[-acsh=x1 \\\\\"'#<&>|;(){}$`\né\t!*\\[\\]]{0,60}") {
        runs(&line);
    }

    #[test]
    fn what_is_quoted_comes_back(words in prop::collection::vec("[ -~é\n]{0,8}", 1..5)) {
        prop_assume!(!words[0].is_empty() && base_name(&words[0]) == words[0] && !words[0].contains(['=', ' ', '\n']));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let script = read(&line_of(&[&["x"], words.as_slice()].concat()));
        let got: Vec<String> = script.commands[0].words.iter().skip(1).map(Word::text).collect();
        prop_assert_eq!(got, words);
    }
}
