//! Measures redaction on the planted set, and checks invariants for any text.

use std::borrow::Cow;

use super::super::planted::{Draw, SEED, Shapes, look_alikes, planted, shown};
use super::{Redactor, SecretKind};

/// `part` as a percentage of `count`.
fn percent(part: usize, count: usize) -> f64 {
    100.0 * part as f64 / count.max(1) as f64
}

#[test]
fn planted_secrets_are_removed() {
    let redactor = Redactor::new();
    let positives = planted(SEED).positives;
    let (mut missed, mut missed_hard, mut misnamed) = (0, 0, 0);
    for positive in &positives {
        let redacted = redactor.redact(&positive.text);
        if !positive.is_removed_from(&redacted.text) {
            missed += 1;
            missed_hard += usize::from(positive.hard);
            println!("MISSED {}: {}", positive.kind, redacted.text);
        } else if redacted.found.iter().all(|found| found.kind != positive.kind) {
            misnamed += 1;
            println!("NAMED OTHERWISE {}: {}", positive.kind, redacted.text);
        }
    }
    let count = positives.len();
    println!(
        "recall {:.1} % of {count} ({missed} missed, {missed_hard} of them known to be hard, {misnamed} named otherwise)",
        percent(count - missed, count)
    );
    assert!(missed - missed_hard == 0, "an ordinary secret was missed");
}

#[test]
fn harmless_texts_are_left_alone() {
    let redactor = Redactor::new();
    let negatives = planted(SEED).negatives;
    let (mut changed, mut changed_hard) = (0, 0);
    for negative in &negatives {
        let redacted = redactor.redact(&negative.text);
        if !negative.is_unchanged_in(&redacted.text) {
            changed += 1;
            changed_hard += usize::from(negative.hard);
            println!("CHANGED ({}) {}", negative.about, redacted.text);
        }
    }
    let count = negatives.len();
    println!(
        "false positives {:.1} % of {count} ({changed} changed, {changed_hard} of them known to be hard)",
        percent(changed, count)
    );
    assert!(changed - changed_hard == 0, "an ordinary text was changed");
}

/// The planted set with many other seeds: the rates must not depend on one seed.
#[test]
fn rates_hold_for_other_draws() {
    let redactor = Redactor::new();
    let (mut ordinary, mut missed, mut harmless, mut changed) = (0, 0, 0, 0);
    for seed in 1..=10 {
        let planted = planted(seed * 7919);
        for positive in planted.positives.iter().filter(|positive| !positive.hard) {
            ordinary += 1;
            let redacted = redactor.redact(&positive.text);
            if !positive.is_removed_from(&redacted.text) {
                missed += 1;
                println!("MISSED {}: {}", positive.kind, redacted.text);
            }
        }
        for negative in planted.negatives.iter().filter(|negative| !negative.hard) {
            harmless += 1;
            let redacted = redactor.redact(&negative.text);
            if !negative.is_unchanged_in(&redacted.text) {
                changed += 1;
                println!("CHANGED ({}) {}", negative.about, redacted.text);
            }
        }
    }
    println!("missed {missed} of {ordinary}, changed {changed} of {harmless}");
    assert!(missed * 200 <= ordinary, "more than 0.5 % of ordinary secrets missed");
    assert!(changed * 100 <= harmless, "more than 1 % of harmless texts changed");
}

/// The shapes of secrets, each in the places where sessions show them.
#[test]
fn shapes_are_removed_in_every_carrier() {
    for (shapes, least) in [(Shapes::Known, 99.5), (Shapes::Unseen, 98.0)] {
        let (count, missed) = count_missed(shapes, SEED);
        assert!(percent(count - missed, count) >= least, "{missed} of {count} {shapes:?} missed");
        let other: Vec<(usize, usize)> = (1..=3).map(|seed| count_missed(shapes, seed * 104_729)).collect();
        let (count, missed) = other.iter().fold((0, 0), |sum, next| (sum.0 + next.0, sum.1 + next.1));
        assert!(percent(count - missed, count) >= least, "{missed} of {count} {shapes:?} missed in other draws");
    }
}

fn count_missed(shapes: Shapes, seed: u64) -> (usize, usize) {
    let redactor = Redactor::new();
    let shown = shown(shapes, seed);
    let mut missed = 0;
    for secret in &shown {
        let redacted = redactor.redact(&secret.text).text;
        if !secret.is_removed_from(&redacted) {
            missed += 1;
            println!("MISSED {} in {}: {redacted}", secret.group, secret.carrier);
        }
    }
    (shown.len(), missed)
}

#[test]
fn look_alikes_are_left_alone_in_every_carrier() {
    let redactor = Redactor::new();
    for seed in [SEED, 7, 104_729] {
        let harmless = look_alikes(seed);
        let mut changed = 0;
        for text in &harmless {
            let redacted = redactor.redact(&text.text).text;
            if !text.is_unchanged_in(&redacted) {
                changed += 1;
                println!("CHANGED ({}) {redacted}", text.about);
            }
        }
        assert!(changed * 1000 <= harmless.len(), "{changed} of {} changed", harmless.len());
    }
}

#[test]
fn redacting_shapes_twice_changes_nothing_more() {
    let redactor = Redactor::new();
    let known = shown(Shapes::Known, 5).into_iter().chain(shown(Shapes::Unseen, 5));
    let texts: Vec<String> = known.map(|secret| secret.text).collect();
    texts.iter().for_each(|text| assert_idempotent(&redactor, text));
    assert_idempotent(&redactor, &texts.join("\n"));
    assert_idempotent(&redactor, &texts.join(""));
}

/// A name on one line, its value on the next.
#[test]
fn values_on_the_next_line_are_removed() {
    let redactor = Redactor::new();
    let secret = Draw::new(11).alnum(24);
    for form in [
        "+   name  = \"SLACK_SIGNING_SECRET\"\n+   value = \"§\"",
        "-  - name: DB_PASSWORD\n-    value: §",
        "<key>accessToken</key>\n  <string>§</string>",
        "[mail]\nuser = jan\npasswd = §",
        "$ pass show web/shop\n§",
        "jan@box:~$ op read op://shop/db/password\n§",
        "# cat /run/secrets/db_password\n§",
        "$ echo $API_TOKEN\n§\n",
        "$ terraform output -raw db_password\n§",
        "| host | password |\n|---|---|\n| db | §1 |",
    ] {
        let text = form.replace('§', &secret);
        assert!(!redactor.redact(&text).text.contains(&secret), "{form}");
    }
}

/// A value separated from its name, or recognised by its program, call or column.
#[test]
fn values_apart_from_their_names_are_removed() {
    let redactor = Redactor::new();
    let secret = Draw::new(12).alnum(40);
    for form in [
        "the password of the build box is §, please rotate it",
        "here is the client secret for the portal: §",
        "Das Passwort für den Server lautet §",
        "Your new token has been created. Copy it now:\n\n    §\n",
        "$ rails secret\n§",
        "name,role,password\njan,admin,§",
        "HOST    USER    PASSWORD\ndb      jan     §",
        "INSERT INTO keys (name, token) VALUES ('ci', '§');",
        "test: [\"CMD\", \"mysqladmin\", \"-u\", \"root\", \"-p§\"]",
        "read -r DB_PASSWORD <<< \"§\"",
        "mosquitto_pub -h mqtt -u jan -P § -t a",
        "new NetworkCredential(\"jan\", \"§\")",
        "jwt.sign({ sub: user.id }, '§')",
        "password = \"\"\"§\"\"\"",
        "Writing [{client_secret=[§], grant_type=[x]}]",
        "\"db_password\": {\n  \"sensitive\": true,\n  \"value\": \"§\"\n}",
    ] {
        let text = form.replace('§', &secret);
        assert!(!redactor.redact(&text).text.contains(&secret), "{form}");
        assert_idempotent(&redactor, &text);
    }
}

/// Look-alikes of the forms above without secrets.
#[test]
fn names_without_a_value_nearby_are_left_alone() {
    let redactor = Redactor::new();
    let hash = Draw::new(13).hex(64);
    for form in [
        "the password of the build box is stored in the vault",
        "the password hash is §",
        "checksum/secret: §",
        "$ git log --grep token\n§",
        "password: {{ .Values.auth.password | b64enc | quote }}",
        "password    requisite    pam_pwquality.so",
        "SELECT usename, passwd IS NULL AS no_password FROM pg_shadow;",
        "connect(user, password, host, resolve_target)",
        "read -r DB_PASSWORD <<< \"$INPUT\"",
        "jwt.sign({ sub: user.id }, process.env.JWT_SECRET)",
        "new NetworkCredential(user, password)",
        "snmpwalk -v2c -c public host",
        "password: !!process.env.DB_PASSWORD,",
    ] {
        let text = form.replace('§', &hash);
        assert_eq!(redactor.redact(&text).text, text, "{form}");
    }
}

#[test]
fn redactor_can_be_shared_between_threads() {
    fn assert_shareable<T: Send + Sync>() {}
    assert_shareable::<Redactor>();
}

#[test]
fn text_without_secrets_is_borrowed() {
    let redacted = Redactor::new();
    let redacted = redacted.redact("let token = lexer.next();");
    assert!(matches!(redacted.text, Cow::Borrowed(_)));
    assert_eq!(redacted.found.capacity(), 0);
}

#[test]
fn only_the_secret_is_replaced() {
    let redactor = Redactor::new();
    let password = ["kX9v", "QzJ7wR"].concat();
    let text = format!("DB=postgres://app:{password}@db/app # ü");
    let redacted = redactor.redact(&text);
    assert_eq!(redacted.text, "DB=postgres://app:[redacted:url-password]@db/app # ü");
    assert_eq!(redacted.found.len(), 1);
    assert_eq!(redacted.found[0].kind, SecretKind::UrlPassword);
    assert_eq!(&text[redacted.found[0].range.clone()], password);
}

/// A secret that is found only in the second pass has the right range.
#[test]
fn ranges_are_those_of_the_text_given() {
    let redactor = Redactor::new();
    let mut draw = Draw::new(3);
    for _ in 0..rounds() {
        let text = random_text(&mut draw);
        let redacted = redactor.redact(&text);
        let mut rebuilt = String::new();
        let mut kept_to = 0;
        for found in &redacted.found {
            rebuilt += &text[kept_to..found.range.start];
            rebuilt += &format!("[redacted:{}]", found.kind);
            kept_to = found.range.end;
        }
        rebuilt += &text[kept_to..];
        assert_eq!(rebuilt, redacted.text);
    }
}

#[test]
fn kinds_have_distinct_kebab_case_names() {
    let mut names: Vec<&str> = SecretKind::ALL.iter().map(|kind| kind.name()).collect();
    for name in &names {
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{name}");
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), SecretKind::ALL.len());
}

#[test]
fn redacting_planted_texts_twice_changes_nothing_more() {
    let redactor = Redactor::new();
    for seed in 1..=4 {
        let planted = planted(seed);
        let texts = planted.positives.iter().map(|positive| &positive.text);
        let texts = texts.chain(planted.negatives.iter().map(|negative| &negative.text));
        let all: Vec<&str> = texts.map(String::as_str).collect();
        all.iter().for_each(|text| assert_idempotent(&redactor, text));
        assert_idempotent(&redactor, &all.join("\n"));
        assert_idempotent(&redactor, &all.join(""));
    }
}

fn assert_idempotent(redactor: &Redactor, text: &str) {
    for found in redactor.find(text) {
        assert!(text.get(found.range.clone()).is_some(), "{found:?} cuts a character of {text}");
    }
    let once = redactor.redact(text).text.into_owned();
    let twice = redactor.redact(&once);
    if let Some(again) = twice.found.first() {
        let from = once.floor_char_boundary(again.range.start.saturating_sub(150));
        let to = once.ceil_char_boundary(again.range.end + 150);
        panic!("found again {again:?} in {}\nFROM {text}", &once[from..to]);
    }
}

/// Random text made of pieces that trigger checks: nothing may panic, and a second redaction may find nothing more.
#[test]
fn random_texts_neither_panic_nor_break_idempotence() {
    let redactor = Redactor::new();
    let mut draw = Draw::new(42);
    for _ in 0..rounds() {
        let text = random_text(&mut draw);
        assert_idempotent(&redactor, &text);
    }
}

/// Raw bytes, made valid UTF-8, around randomly cut anchors.
#[test]
fn random_bytes_do_not_panic() {
    let redactor = Redactor::new();
    let mut draw = Draw::new(7);
    for _ in 0..rounds() {
        let length = draw.below(200);
        let bytes: Vec<u8> = (0..length).map(|_| draw.below(256) as u8).collect();
        let text = String::from_utf8_lossy(&bytes);
        assert_idempotent(&redactor, &text);
    }
}

/// Text is often redacted inside a JSON string, escaped once or twice: secrets must be found there too, and the string
/// must stay valid.
#[test]
fn escaped_secrets_are_removed_and_json_stays_valid() {
    let redactor = Redactor::new();
    let (mut ordinary, mut missed) = (0, 0);
    for seed in 1..=3 {
        for mut positive in planted(seed * 31).positives {
            for _ in 0..2 {
                positive.text = escape(&positive.text);
                let pieces = positive.secrets.iter();
                positive.secrets = pieces.map(|secret| escape(secret)).collect();
                let redacted = redactor.redact(&positive.text).text;
                assert!(is_json_string(&redacted), "{redacted}");
                let is_missed = !positive.is_removed_from(&redacted);
                ordinary += usize::from(!positive.hard);
                missed += usize::from(is_missed && !positive.hard);
                if is_missed && !positive.hard {
                    println!("MISSED {}: {redacted}", positive.kind);
                }
            }
        }
    }
    println!("escaped: missed {missed} of {ordinary}");
    assert!(missed * 100 <= ordinary, "more than 1 % missed");
}

#[test]
fn random_json_stays_valid() {
    let redactor = Redactor::new();
    let mut draw = Draw::new(11);
    for _ in 0..rounds() {
        let text = escape(&random_text(&mut draw));
        let redacted = redactor.redact(&text).text;
        assert!(is_json_string(&redacted), "{redacted}\nFROM {text}");
    }
}

/// The text as written inside a JSON string.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '"' => escaped += "\\\"",
            '\\' => escaped += "\\\\",
            '\n' => escaped += "\\n",
            '\r' => escaped += "\\r",
            '\t' => escaped += "\\t",
            '\u{0}'..='\u{1f}' => escaped += &format!("\\u{:04x}", letter as u32),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// Whether the text is valid between the quotes of a JSON string.
fn is_json_string(text: &str) -> bool {
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let is_valid = match letter {
            '\\' => match letters.next() {
                Some('u') => (0..4).all(|_| letters.next().is_some_and(|hex| hex.is_ascii_hexdigit())),
                Some(escaped) => "\"\\/bfnrt".contains(escaped),
                None => false,
            },
            _ => letter != '"' && letter >= ' ',
        };
        if !is_valid {
            return false;
        }
    }
    true
}

/// Many anchors in one long run, to detect quadratic time.
#[test]
fn dense_anchors_are_survived() {
    let redactor = Redactor::new();
    for piece in PIECES.iter().chain(DENSE_PIECES) {
        redactor.redact(&piece.repeat(24_000 / piece.len()));
    }
}

const DENSE_PIECES: &[&str] = &[
    "password |\n",
    "creds a:b / ",
    "password from a to b ",
    "recovery codes\na1b2c3d4\n",
    "$ echo $TOKEN\n",
    "$ cat token\n",
    "$ pass s\n",
    "::add-mask::",
    "azure.net/secrets/",
    "getConnection(\"a\",\"b\",",
    "@tcp(a:b",
    "send \"password",
    "passwort: ",
    "пароль: ",
    "I typed password ",
    "temporary password: ",
    "Unseal Key 1: ",
    "&quot;password&quot;: &quot;",
    "“password”: “",
    "password%3D",
    "\u{1b}[0mpassword\u{1b}[0m=",
    "<key>password</key>\n<string>",
    "PASSWORD=a&",
    "PASSWORD=-",
    "password\t",
    "[a]\npassword = ",
    "password = \"a\" -> \"",
    "eyJhIjoi",
    "EAAa",
    " /p:a/u:",
    "<(echo pass",
    "ghs_a.",
    "token=",
    "token=\"",
    "sig=",
    "bearer:",
    "bearer ",
    "/api/webhooks/",
    "discord M",
    "twilio SK",
    "eyJhbGciOiJIUzI1NiJ9.",
    "-----BEGIN RSA PRIVATE KEY-----\n",
    "token_",
    "password is ",
    "a8Q~",
    "https://a:b",
    " -u a:b",
    "mysql -p",
    "Cookie: a=b; ",
    "ATATT3+",
    "access_token$production$",
    "xoxd-/",
    "password: \"a",
    "token(\"a\", \"b\"",
    "AKIA\n",
    "<password>",
    "Private-Lines: 1\nAAAAAAAAAAAAAAAAAAAAAAAA\n",
    "basic AAAA",
    "1:AAH",
    "name: token\nvalue: ",
    "hooks.slack.com/",
    "kind: Secret\n",
    "kind: Secret data: ",
    "kind: Secret\ndata:\n  a: bcdefg1\n",
    "\"kind\":\"Secret\",\"data\":{\"a\":\"bcdefg1\"",
    "data:\n",
    "\"kty\":\"oct\",\"k\":\"a",
    "-----END RSA PRIVATE KEY-----\n",
    "AAAAAAAAAAAAAAAAAAAAAAAA\n-----END RSA PRIVATE KEY-----",
    "MIIEpAIBAAKCAQEA",
    "MIIEpAIBAAKCAQEA\n",
    "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt",
    "docker login -p ",
    "mysql -pa ",
    "curl -u a:b -b c=d ",
    "echo a | sudo -S ",
    "--password-stdin <<< ",
    "secrets set A=b ",
    "--from-literal=a=b secret ",
    "a:5432:b:c:d",
    "*:*:*:",
    "a:$6$bc",
    "random_password \"result\": \"",
    "Authorization: Digest a=b, ",
    "authorization: a b ",
    "mnemonic abandon ",
    "?key=a",
    "Signature=",
    "variable \"password\" { ",
    "password for a: ",
    "ENV PASSWORD a ",
    "mailgun ",
    "airtable pat",
    ":AA",
    "-us1",
    "net use a /user:",
    "htpasswd -b a ",
    "infura.io/v3/",
    "\\",
    "\n",
    "A",
    "0",
];

/// `REDACT_ROUNDS=1000000 cargo test` runs more rounds.
fn rounds() -> usize {
    let wanted = std::env::var("REDACT_ROUNDS").ok();
    wanted.and_then(|rounds| rounds.parse().ok()).unwrap_or(2_000)
}

const PIECES: &[&str] = &[
    "password |\n",
    "creds a:b / ",
    "password from a to b ",
    "recovery codes\na1b2c3d4\n",
    "$ echo $TOKEN\n",
    "$ cat token\n",
    "$ pass s\n",
    "::add-mask::",
    "azure.net/secrets/",
    "getConnection(\"a\",\"b\",",
    "@tcp(a:b",
    "send \"password",
    "passwort: ",
    "пароль: ",
    "I typed password ",
    "temporary password: ",
    "Unseal Key 1: ",
    "&quot;password&quot;: &quot;",
    "“password”: “",
    "password%3D",
    "\u{1b}[0mpassword\u{1b}[0m=",
    "<key>password</key>\n<string>",
    "PASSWORD=a&",
    "PASSWORD=-",
    "password\t",
    "[a]\npassword = ",
    "password = \"a\" -> \"",
    "eyJhIjoi",
    "EAAa",
    " /p:a/u:",
    "<(echo pass",
    "password",
    "token",
    "TOKEN",
    "api_key",
    "apiKey",
    "secret",
    "SECRET_KEY",
    "--token",
    "auth",
    "Authorization",
    "Bearer ",
    "Basic ",
    "cookie:",
    "://",
    "https://",
    "postgres://u:",
    "@",
    ":",
    "=",
    " = ",
    ": ",
    "\"",
    "\\\"",
    "'",
    "`",
    "\n",
    "\\n",
    "\\t",
    " ",
    ",",
    ";",
    "&",
    "?",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "</",
    "\\",
    "-",
    "_",
    ".",
    "gh",
    "p_",
    "AKIA",
    "sk-",
    "ant-",
    "eyJhbGciOiJIUzI1NiJ9",
    ".eyJ",
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----END RSA PRIVATE KEY-----",
    "xoxb-",
    "hooks.slack.com/services/",
    "discord",
    "twilio",
    "SK",
    "sig=",
    ":AAH",
    "8Q~",
    ".atlasv1.",
    "[redacted:",
    "[redacted:token]",
    "[redacted:api-key]",
    "é",
    "→",
    "😀",
    "\u{1b}[32m",
    "%3D",
    "\\u003d",
    "value",
    "is ",
    " -u ",
    "curl",
    "login ",
    "pwd=",
    "next",
    "dapi",
    "key-",
    "npm_",
    "cio",
    "SG.",
    "hvs.",
    "AccountKey",
    "Private-Lines: ",
    "\"name\":",
    "\"value\":",
    "||",
    "==",
    "type",
    "EXAMPLE",
    "xxxx",
    "docker login",
    "mysql ",
    " -p",
    " -p ",
    "curl ",
    " -b ",
    "sshpass -p ",
    "echo ",
    " | sudo -S",
    "<<<",
    "--password-stdin",
    "kind: Secret",
    "data:",
    "stringData:",
    "\"kind\":\"Secret\"",
    "\"kty\"",
    "\"d\":\"",
    "MIIEpAIBAAKCAQEA",
    "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt",
    "-----END PRIVATE KEY-----",
    ":5432:",
    ":$6$",
    "htpasswd -b ",
    "Digest ",
    "response=",
    "Signature=",
    "?key=",
    "mnemonic",
    "password: ",
    "PASSWORD=",
    "hunter2",
    "sunflower",
    "ENV ",
    "setx ",
    "for ",
    "variable \"",
    " {\n",
    "default = ",
    "datadog",
    "\r\n",
    "!",
    "$",
];

fn random_text(draw: &mut Draw) -> String {
    let mut text = String::new();
    for _ in 0..draw.below(24) + 1 {
        match draw.below(6) {
            0 => {
                let length = draw.below(70);
                text += &draw.alnum(length);
            }
            1 => {
                let length = draw.below(48);
                text += &draw.hex(length);
            }
            2 => {
                let length = draw.below(60) + 3;
                text += &draw.base64(length);
            }
            _ => text += PIECES[draw.below(PIECES.len())],
        }
    }
    text
}
