//! The literals that trigger a check, and the check of each.

use super::assigned::check_name;
use super::authorization::{
    check_authorization, check_basic, check_bearer, check_cookie, check_cookie_pairs, check_identified_by,
    check_user_flag,
};
use super::blocks::{check_encoded_pem, check_key_bytes, check_pem, check_pem_end, check_putty};
use super::calls::{
    check_account, check_answer, check_client, check_connection, check_data_source, check_hashed, check_plain_key,
    check_signing, check_unseal_key, check_wallet,
};
use super::commands::{
    check_command, check_decoded, check_exec_form, check_here_string, check_literal, check_net_use, check_piped,
    check_positional, check_secrets_set, check_slash_flag, check_substituted, command_starts, exec_forms,
    positional_starts,
};
use super::context::{
    check_after_airtable, check_after_aws_key, check_after_discord, check_after_dropbox, check_after_mailgun,
    check_after_twilio, check_azure_client_secret, check_firebase, check_login_call, check_mailchimp, check_new_relic,
    check_storage_key, check_telegram, check_word_list,
};
use super::findings::Findings;
use super::issued::{
    check_encoded_key, check_key_call, check_listed_key, check_pass_command, check_plain_login, check_serial,
    check_shown_once, check_stored_value,
};
use super::jwt::check_jwt;
use super::kind::SecretKind::AwsAccessKey;
use super::manifests::{check_kubernetes_json, check_kubernetes_secret, check_random_password, check_web_key};
use super::names::NameFamily;
use super::prefilter::SearchLiteral;
use super::prefixes::RULES;
use super::printed::{PRINTING, check_echo, check_printing, check_shown_file, check_vault_item, check_workflow};
use super::records::{check_password_file, check_pgpass};
use super::rules::token_at;
use super::said::{
    FOREIGN_TOKENS, FOREIGN_WORDS, check_access_token, check_announced, check_change, check_codes,
    check_credentials_of, check_foreign_token, check_foreign_word, check_login_sentence, check_new_value, check_pair,
    check_pass_word, check_pin, check_short_word, check_table,
};
use super::stores::{
    check_accounts, check_bundle_source, check_exchange_store, check_explained_login, check_key_lines,
    check_secrets_file, check_store, check_user_list, check_warned_cookie,
};
use super::text::rest_of_line;
use super::urls::{
    check_azure_signature, check_credentials, check_discord_webhook, check_endpoint, check_key_parameter,
    check_signature, check_slack_webhook, check_teams_webhook, check_terraform,
};

type CheckAt = fn(&[u8], usize, &mut Findings);

/// What to do at a match.
#[derive(Clone, Copy)]
pub(super) enum AnchorCheck {
    /// A token with a known prefix may begin here.
    Prefix,
    /// A secret-like word of this many bytes ends this anchor.
    Word(NameFamily, usize),
    /// Anything else.
    At(CheckAt),
}

/// Secret-like words, in any case, and their lengths. If a word alone is too short or too common, the anchor includes
/// the text before it.
const WORDS: &[(&str, NameFamily, usize)] = &[
    ("password", NameFamily::Password, 8),
    ("passwd", NameFamily::Password, 6),
    ("passphrase", NameFamily::Password, 10),
    ("passcode", NameFamily::Password, 8),
    ("_pass", NameFamily::Password, 4),
    ("_psw", NameFamily::Password, 3),
    ("secret", NameFamily::Secret, 6),
    ("token", NameFamily::Token, 5),
    ("_key", NameFamily::Key, 3),
    ("-key", NameFamily::Key, 3),
    ("ikey", NameFamily::Key, 3),
    ("skey", NameFamily::Key, 3),
    ("tkey", NameFamily::Key, 3),
    ("ekey", NameFamily::Key, 3),
    ("nkey", NameFamily::Key, 3),
    ("gkey", NameFamily::Key, 3),
    ("rkey", NameFamily::Key, 3),
    ("hkey", NameFamily::Key, 3),
    ("storepass", NameFamily::Password, 9),
    ("keypass", NameFamily::Password, 7),
    ("requirepass", NameFamily::Password, 11),
    ("masterauth", NameFamily::Password, 10),
    ("dkey", NameFamily::Key, 3),
    ("sshpass", NameFamily::Password, 7),
    ("secretid", NameFamily::Secret, 8),
    ("secret_id", NameFamily::Secret, 9),
    ("bindpw", NameFamily::Password, 6),
    ("rootpw", NameFamily::Password, 6),
    ("api key", NameFamily::Credential, 7),
    ("access key", NameFamily::Credential, 10),
    ("secret key", NameFamily::Credential, 10),
    ("private key", NameFamily::Credential, 11),
    ("signing key", NameFamily::Credential, 11),
    ("encryption key", NameFamily::Credential, 14),
    ("master key", NameFamily::Credential, 10),
    ("license key", NameFamily::Credential, 11),
    ("recovery key", NameFamily::Credential, 12),
    ("account key", NameFamily::Credential, 11),
    ("shared key", NameFamily::Credential, 10),
    ("_salt", NameFamily::Secret, 4),
    ("_pepper", NameFamily::Secret, 6),
    ("pswd", NameFamily::Password, 4),
    ("psswd", NameFamily::Password, 5),
    ("passwrd", NameFamily::Password, 7),
    ("credential", NameFamily::Credential, 10),
    ("credentials", NameFamily::Credential, 11),
    ("auth", NameFamily::Auth, 4),
    ("authorization", NameFamily::Auth, 13),
];

/// Capitalized words, which no other spelling covers.
const TITLES: &[&str] = &[
    "API key", "API Key", "Api Key", "Access Key", "Secret Key", "Private Key", "Signing Key", "Encryption Key",
    "Master Key", "License Key", "Recovery Key", "Account Key", "Admin Key", "admin key", "write key", "app key",
];

/// Vendors whose keys have no prefix: `datadog: …`.
const VENDORS: &[&str] = &[
    "datadog", "mailgun", "algolia", "okta", "cloudflare", "fastly", "pagerduty", "mixpanel", "zendesk", "mailchimp",
    "postmark", "rollbar", "bugsnag", "honeycomb", "sumologic", "launchdarkly", "deepgram", "cohere", "mistral",
    "newrelic", "vercel", "netlify", "heroku", "snyk", "codecov", "amplitude",
];

/// `Key` in the middle of a name, where case matters.
const KEY_HUMPS: &[&str] =
    &["_Key", "-Key", "iKey", "sKey", "tKey", "eKey", "nKey", "gKey", "rKey", "hKey", "pKey", "dKey"];

/// Words too short to recognise without the characters after them.
const PWD_ANCHORS: &[&str] = &["pwd=", "pwd:", "pwd\"", "pwd'", "pwd\\", "pwd "];
const PASS_ANCHORS: &[&str] =
    &["pass=", "pass:", "pass\"", "pass'", "pass\\", "Pass=", "Pass:", "Pass\"", "Pass =", "Pass\\", "PASS="];

/// The possible first bytes of a token's body, after a prefix of three bytes.
const BODY_START: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// `://` and the letter before it, the last of the scheme.
const SCHEME_ENDS: &[&str] = &[
    "a://", "b://", "c://", "d://", "e://", "f://", "g://", "h://", "i://", "j://", "k://", "l://", "m://", "n://",
    "2://", "3://", "4://", "5://", "o://", "p://", "q://", "r://", "s://", "t://", "u://", "v://", "w://", "x://",
    "y://", "z://",
];

/// The start of a base64 JSON object whose first field is `alg`, `typ`, `kid` …
const JWT_STARTS: &[&str] = &["eyJh", "eyJ0", "eyJr", "eyJj", "eyJl", "eyJ4", "eyJp", "eyJi", "eyJz", "eyJ1"];

const EXACT: &[(&str, CheckAt)] = &[
    ("again:", check_shown_once),
    ("only once:", check_shown_once),
    ("it safe:", check_shown_once),
    ("securely:", check_shown_once),
    ("\nKey: ", check_listed_key),
    (" Key: ", check_listed_key),
    (":Key = ", check_listed_key),
    (":Key\":", check_listed_key),
    ("\"encoded\"", check_encoded_key),
    ("AUTH PLAIN ", check_plain_login),
    ("\nPASS ", check_pass_command),
    ("> PASS ", check_pass_command),
    ("< PASS ", check_pass_command),
    (": PASS ", check_pass_command),
    ("_SERIAL", check_serial),
    ("-serial ", check_serial),
    ("_PRODUCT_KEY", check_serial),
    ("forKey: \"", check_stored_value),
    ("FromSubscription(", check_key_call),
    ("KeyCredential(", check_key_call),
    ("ServicesCredentials(", check_key_call),
    ("ClientCredentials(", check_key_call),
    ("algoliasearch(", check_key_call),
    ("SearchClient.create(", check_key_call),
    ("earchClient('", check_key_call),
    ("earchClient(\"", check_key_call),
    ("CSC_LINK", check_store),
    ("_P12", check_store),
    ("_PFX", check_store),
    ("_JKS", check_store),
    ("KEYSTORE_B", check_store),
    ("_KEYSTORE=", check_store),
    ("IBAzCC", check_exchange_store),
    ("id_rsa\n", check_key_lines),
    ("id_ed25519\n", check_key_lines),
    ("id_ecdsa\n", check_key_lines),
    (".pem\n", check_key_lines),
    (".p12\n", check_key_lines),
    (".pfx\n", check_key_lines),
    (".jks\n", check_key_lines),
    (".keystore\n", check_key_lines),
    (".key\n", check_key_lines),
    ("ap-secrets\n", check_secrets_file),
    ("chpasswd:", check_user_list),
    ("accounts: [", check_accounts),
    ("-DO-NOT-SHARE-THIS.", check_warned_cookie),
    ("BUNDLE_", check_bundle_source),
    ("(user/pass", check_explained_login),
    ("=api-", check_after_delimiter),
    ("\"api-", check_after_delimiter),
    ("_COOKIE=", check_cookie_secret),
    ("_BEARER=", check_bearer_name),
    ("_CERTIFICATE=", check_certificate),
    ("ppCertificate", check_certificate),
    ("Key Content", check_key_content),
    ("| kinit", check_piped),
    ("| cryptsetup", check_piped),
    ("| passwd", check_piped),
    ("| smbpasswd", check_piped),
    ("| vncpasswd", check_piped),
    ("| su ", check_piped),
    ("| pass insert", check_piped),
    ("| htpasswd -", check_piped),
    ("passphrase-fd", check_piped),
    ("--with-token", check_piped),
    ("pass stdin", check_piped),
    ("secret-tool store", check_piped),
    ("| base64 -", check_decoded),
    ("ommand 'echo ", check_substituted),
    ("ommand \"echo ", check_substituted),
    ("ommand='echo ", check_substituted),
    ("ommand=\"echo ", check_substituted),
    ("OMMAND='echo ", check_substituted),
    ("OMMAND=\"echo ", check_substituted),
    ("auth = (", check_connection),
    ("username_pw_set(", check_connection),
    ("UserPassword(", check_connection),
    ("UsernamePassword(", check_connection),
    ("EmailAndPassword(", check_connection),
    ("PlainTextAuthProvider(", check_connection),
    ("PasswordAuthenticator(", check_connection),
    ("SetCredentials(", check_connection),
    ("setCredentials(", check_connection),
    ("setAuth(", check_connection),
    ("BasicAuthentication(", check_connection),
    ("AuthenticateAsync(", check_connection),
    ("->login(", check_connection),
    (".Login(", check_connection),
    ("send -- ", check_answer),
    ("twitch.tv/app/", check_endpoint),
    ("youtube.com/live2/", check_endpoint),
    (":443/rtmp/", check_endpoint),
    ("_SESSION=", check_session),
    ("_LOGIN=", check_login),
    (".login=", check_login),
    (" pw ", check_short_word),
    (" pw: ", check_short_word),
    ("\npw: ", check_short_word),
    ("+pw: ", check_short_word),
    (" PW: ", check_short_word),
    ("\nPW: ", check_short_word),
    (" pw=", check_short_word),
    ("temporary password", check_announced),
    ("echo $", check_echo),
    ("::add-mask::", check_workflow),
    ("::set-output ", check_workflow),
    ("azure.net/secrets/", check_vault_item),
    ("getConnection(", check_connection),
    ("@tcp(", check_data_source),
    ("@unix(", check_data_source),
    ("Client(\"AC", check_account),
    ("Client('AC", check_account),
    ("_pw=", check_pw),
    ("_PW=", check_pw),
    ("_pw: ", check_pw),
    ("_PW: ", check_pw),
    ("_pw\"", check_pw),
    ("send \"", check_answer),
    ("I typed ", check_change),
    (" /p:", check_slash_flag),
    ("<(echo ", check_substituted),
    ("secret put ", check_piped),
    ("$ cat ", check_shown_file),
    ("# cat ", check_shown_file),
    ("$ printenv ", check_shown_file),
    ("$ op ", check_shown_file),
    ("config:get ", check_printing),
    ("new PDO(", check_connection),
    ("mysqli_connect(", check_connection),
    ("new mysqli(", check_connection),
    ("auth=(", check_connection),
    ("HTTPBasicAuth(", check_connection),
    ("HTTPDigestAuth(", check_connection),
    ("SetBasicAuth(", check_connection),
    ("basic_auth(", check_connection),
    ("smtp.login(", check_connection),
    ("server.login(", check_connection),
    ("WiFi.begin(", check_connection),
    ("FULL  ", check_storage_key),
    ("nseal Key", check_unseal_key),
    ("-----BEGIN", check_pem),
    ("-----END", check_pem_end),
    ("LS0tLS1CRUdJTi", check_encoded_pem),
    ("MIIE", check_key_bytes),
    ("MIIJ", check_key_bytes),
    ("MIIC", check_key_bytes),
    ("MIIB", check_key_bytes),
    ("MIIG", check_key_bytes),
    ("MIGH", check_key_bytes),
    ("MIG2", check_key_bytes),
    ("MHcC", check_key_bytes),
    ("MHgC", check_key_bytes),
    ("MIGk", check_key_bytes),
    ("MC4C", check_key_bytes),
    ("b3BlbnNzaC1rZXktdjE", check_key_bytes),
    (":5432:", check_pgpass),
    (":5433:", check_pgpass),
    (":6432:", check_pgpass),
    (":*:*:", check_pgpass),
    (":$apr1$", check_password_file),
    (":$2y$", check_password_file),
    (":$1$", check_password_file),
    (":$5$", check_password_file),
    (":$6$", check_password_file),
    (":$y$", check_password_file),
    (":{SHA}", check_password_file),
    (":{SSHA}", check_password_file),
    ("kind: Secret", check_kubernetes_secret),
    ("Secret\"", check_kubernetes_json),
    ("Secret\\", check_kubernetes_json),
    ("random_password", check_random_password),
    ("kty\"", check_web_key),
    ("kty\\", check_web_key),
    ("?key=", check_key_parameter),
    ("&key=", check_key_parameter),
    ("Signature=", check_signature),
    ("-password-stdin", check_piped),
    ("sudo -S", check_piped),
    ("chpasswd", check_piped),
    ("passwd --stdin", check_piped),
    ("--from-literal", check_literal),
    ("secrets set ", check_secrets_set),
    (" /user:", check_net_use),
    (" /USER:", check_net_use),
    ("Private-Lines:", check_putty),
    (":AA", check_telegram),
    (":APA91b", check_firebase),
    ("NRAL", check_new_relic),
    ("-us1", check_mailchimp),
    ("-us2", check_mailchimp),
    ("-us3", check_mailchimp),
    ("-us4", check_mailchimp),
    ("-us5", check_mailchimp),
    ("-us6", check_mailchimp),
    ("-us7", check_mailchimp),
    ("-us8", check_mailchimp),
    ("-us9", check_mailchimp),
    ("infura.io/v3/", check_endpoint),
    ("alchemy.com/v2/", check_endpoint),
    ("quiknode.pro/", check_endpoint),
    ("zapier.com/hooks/", check_endpoint),
    ("with/key/", check_endpoint),
    ("outlook.office.com/webhook/", check_endpoint),
    ("\npw ", check_short_word),
    ("+pw ", check_short_word),
    ("\npw=", check_short_word),
    ("\nPW=", check_short_word),
    ("PW: ", check_capital_pw),
    ("PW=\"", check_capital_pw),
    ("Pw: ", check_capital_pw),
    (" PAT ", check_access_token),
    ("_pat=", check_pat),
    ("_pat:", check_pat),
    ("_pat\"", check_pat),
    ("_pat'", check_pat),
    ("_PAT=", check_pat),
    ("_PAT:", check_pat),
    ("_PAT\"", check_pat),
    ("_PAT'", check_pat),
    ("_PAT_", check_pat),
    (" pass ", check_pass_word),
    ("ew value:", check_new_value),
    ("PIN: ", check_pin),
    ("Hash::make(", check_hashed),
    ("bcrypt.hash(", check_hashed),
    ("bcrypt.hashSync(", check_hashed),
    ("bcrypt.hashpw(", check_hashed),
    ("bcrypt(", check_hashed),
    ("argon2.hash(", check_hashed),
    ("make_password(", check_hashed),
    ("set_password(", check_hashed),
    ("password_hash(", check_hashed),
    ("generate_password_hash(", check_hashed),
    ("ncoder.encode(", check_hashed),
    ("GetBytes(\"", check_hashed),
    ("jwt.sign(", check_signing),
    ("jwt.verify(", check_signing),
    ("jwt.encode(", check_signing),
    ("jwt.decode(", check_signing),
    ("JWT.encode(", check_signing),
    ("JWT.decode(", check_signing),
    ("JWT::encode(", check_signing),
    ("createHmac(", check_signing),
    ("hash_hmac(", check_signing),
    ("Client('", check_client),
    ("Client(\"", check_client),
    ("Analytics('", check_client),
    ("Analytics(\"", check_client),
    ("initialize('", check_client),
    ("initialize(\"", check_client),
    ("init('", check_client),
    ("init(\"", check_client),
    ("API('", check_client),
    ("API(\"", check_client),
    ("Api('", check_client),
    ("Api(\"", check_client),
    ("setApiKey('", check_client),
    ("configure('", check_client),
    ("pymysql.connect(", check_connection),
    ("MySQLdb.connect(", check_connection),
    ("mysql_connect(", check_connection),
    ("Sequelize(", check_connection),
    ("ftplib.FTP(", check_connection),
    ("objects.create_user(", check_connection),
    ("Oracle.connect(", check_connection),
    ("StaticCredentials(", check_connection),
    ("AWSCredentials(", check_connection),
    ("BasicCredentials.create(", check_connection),
    (".authenticate(", check_connection),
    ("KeyToAccount(", check_wallet),
    ("Wallet(\"", check_wallet),
    ("Wallet('", check_wallet),
    (".key=\"", check_plain_key),
    ("(pw: ", check_short_word),
    ("NetworkCredential(", check_connection),
    ("PasswordCredentials(", check_connection),
    ("PasswordAuthentication(", check_connection),
    ("PasswordCredential(", check_connection),
    ("create_superuser(", check_connection),
    ("createUser(", check_connection),
    ("PlainAuth(", check_connection),
    ("BasicAuth(", check_connection),
    ("basicAuth(", check_connection),
    (".login('", check_connection),
    (".login(\"", check_connection),
    ("signIn('", check_connection),
    ("logIn('", check_connection),
    ("loginAs('", check_connection),
    ("logIn(\"", check_connection),
    ("\npass = ", check_pass_setting),
    ("+pass = ", check_pass_setting),
    ("\nkey = ", check_plain_key),
    ("+key = ", check_plain_key),
    ("\"Key\":", check_plain_key),
    ("\"key\":", check_plain_key),
    (" key: '", check_plain_key),
    (" key: \"", check_plain_key),
    ("connect.sid=", check_bare_cookie),
    ("PHPSESSID=", check_bare_cookie),
    ("JSESSIONID=", check_bare_cookie),
    ("sessionid=", check_bare_cookie),
    ("SessionId=", check_bare_cookie),
    ("__Secure-", check_bare_cookie),
    ("__Host-", check_bare_cookie),
    ("<<< ", check_here_string),
    ("<<<\"", check_here_string),
    ("<<<'", check_here_string),
    ("<<<\\", check_here_string),
    ("7Q~", check_azure_client_secret),
    ("8Q~", check_azure_client_secret),
    ("9Q~", check_azure_client_secret),
    ("sig=", check_azure_signature),
    (".atlasv1.", check_terraform),
    ("hooks.slack.com/", check_slack_webhook),
    ("/api/webhooks/", check_discord_webhook),
    ("webhook.office.com/", check_teams_webhook),
    (".login(", check_login_call),
    (".run(", check_login_call),
    (".start(", check_login_call),
    (" -u ", check_user_flag),
    (" --user ", check_user_flag),
];

/// A prefix too common to match except at the start of a value.
macro_rules! delimited {
    ($($prefix:literal),*) => {
        &[$(
            (concat!("\"", $prefix), check_after_delimiter as CheckAt),
            (concat!("'", $prefix), check_after_delimiter),
            (concat!("`", $prefix), check_after_delimiter),
            (concat!("=", $prefix), check_after_delimiter),
            (concat!(":", $prefix), check_after_delimiter),
            (concat!(" ", $prefix), check_after_delimiter),
            (concat!("\n", $prefix), check_after_delimiter),
            (concat!("\\n", $prefix), check_after_escape),
        )*]
    };
}

const DELIMITED: &[(&str, CheckAt)] = delimited!("cio", "re_", "oy2", "sk_");

const ANY_CASE: &[(&str, CheckAt)] = &[
    ("bearer", check_bearer),
    ("authorization", check_authorization),
    ("psk=", check_psk),
    ("psk: ", check_psk),
    ("mnemonic", check_word_list),
    ("seed phrase", check_word_list),
    ("seed_phrase", check_word_list),
    ("seedphrase", check_word_list),
    ("recovery phrase", check_word_list),
    ("basic ", check_basic),
    ("cookie", check_cookie),
    ("discord", check_after_discord),
    ("twilio", check_after_twilio),
    ("mailgun", check_after_mailgun),
    ("airtable", check_after_airtable),
    ("dropbox", check_after_dropbox),
    ("identified by", check_identified_by),
    ("creds", check_pair),
    ("credentials are ", check_pair),
    ("login with ", check_pair),
    ("login: ", check_login_sentence),
    ("log in with ", check_pair),
    ("user-pass", check_pair),
    ("password from ", check_change),
    ("password |", check_table),
    ("secret |", check_table),
    ("token |", check_table),
    ("recovery codes", check_codes),
    ("backup codes", check_codes),
    ("log in to ", check_login_sentence),
    ("login to ", check_login_sentence),
    ("log into ", check_login_sentence),
    ("login as ", check_login_sentence),
    ("log in as ", check_login_sentence),
    ("sign in ", check_login_sentence),
    ("credentials for ", check_credentials_of),
    ("basic auth", check_credentials_of),
    ("connect as ", check_login_sentence),
    ("x-honeycomb-team", check_team),
    ("nseal key", check_unseal_key),
];

/// All anchors, and the check of each.
pub(super) fn anchors() -> (Vec<SearchLiteral>, Vec<AnchorCheck>) {
    let mut literals = Vec::new();
    let mut checks = Vec::new();
    let mut add = |text, any_case, check| {
        literals.push(SearchLiteral { text, any_case, followers: BODY_START });
        checks.push(check);
    };
    for prefix in distinct_prefixes() {
        add(prefix, false, AnchorCheck::Prefix);
    }
    for &(word, family, length) in WORDS {
        add(word, true, AnchorCheck::Word(family, length));
    }
    for &anchor in KEY_HUMPS {
        add(anchor, false, AnchorCheck::Word(NameFamily::Key, 3));
    }
    for &title in TITLES {
        add(title, false, AnchorCheck::Word(NameFamily::Credential, title.len()));
    }
    for &vendor in VENDORS {
        add(vendor, true, AnchorCheck::Word(NameFamily::Vendor, vendor.len()));
    }
    for &anchor in PWD_ANCHORS {
        add(anchor, true, AnchorCheck::At(check_pwd));
    }
    for &anchor in PASS_ANCHORS {
        add(anchor, false, AnchorCheck::At(check_pass));
    }
    for &anchor in SCHEME_ENDS {
        add(anchor, false, AnchorCheck::At(check_scheme));
    }
    for &anchor in JWT_STARTS {
        add(anchor, false, AnchorCheck::At(check_jwt));
    }
    for &(anchor, check) in EXACT.iter().chain(DELIMITED) {
        add(anchor, false, AnchorCheck::At(check));
    }
    for start in command_starts() {
        add(start, false, AnchorCheck::At(check_command));
    }
    for start in exec_forms() {
        add(start, false, AnchorCheck::At(check_exec_form));
    }
    for start in positional_starts() {
        add(start, false, AnchorCheck::At(check_positional));
    }
    for &part in PRINTING {
        add(part, false, AnchorCheck::At(check_printing));
    }
    for &word in FOREIGN_TOKENS {
        add(word, word.is_ascii(), AnchorCheck::At(check_foreign_token));
    }
    for &word in FOREIGN_WORDS {
        add(word, word.is_ascii(), AnchorCheck::At(check_foreign_word));
    }
    for &(anchor, check) in ANY_CASE {
        add(anchor, true, AnchorCheck::At(check));
    }
    (literals, checks)
}

/// The rules' prefixes, without those that start with another one, which matches there too.
fn distinct_prefixes() -> Vec<&'static str> {
    let mut prefixes: Vec<&str> = RULES.iter().map(|rule| rule.prefix).collect();
    prefixes.sort_unstable();
    prefixes.dedup_by(|next, kept| next.starts_with(*kept));
    prefixes
}

impl AnchorCheck {
    #[inline]
    pub(super) fn run(self, text: &[u8], at: usize, anchor_length: usize, found: &mut Findings) {
        match self {
            AnchorCheck::Prefix => check_prefix(text, at, found),
            AnchorCheck::Word(family, length) => {
                let end = at + anchor_length;
                check_name(text, end - length, end, family, found);
            }
            AnchorCheck::At(check) => check(text, at, found),
        }
    }
}

fn check_prefix(text: &[u8], at: usize, found: &mut Findings) {
    let Some(finding) = token_at(text, at) else {
        return;
    };
    if finding.kind == AwsAccessKey {
        check_after_aws_key(text, at, finding.range.end, found);
    }
    found.add(at, finding);
}

fn check_after_delimiter(text: &[u8], at: usize, found: &mut Findings) {
    check_prefix(text, at + 1, found);
}

fn check_after_escape(text: &[u8], at: usize, found: &mut Findings) {
    check_prefix(text, at + 2, found);
}

fn check_scheme(text: &[u8], at: usize, found: &mut Findings) {
    check_credentials(text, at + 1, found);
}

fn check_pass(text: &[u8], at: usize, found: &mut Findings) {
    check_name(text, at, at + b"pass".len(), NameFamily::Pass, found);
}

fn check_pass_setting(text: &[u8], at: usize, found: &mut Findings) {
    check_name(text, at + 1, at + b"\npass".len(), NameFamily::Pass, found);
}

fn check_session(text: &[u8], at: usize, found: &mut Findings) {
    check_name(text, at + 1, at + b"_SESSION".len(), NameFamily::Auth, found);
}

fn check_login(text: &[u8], at: usize, found: &mut Findings) {
    check_name(text, at + 1, at + b"_LOGIN".len(), NameFamily::Auth, found);
}

fn check_cookie_secret(text: &[u8], at: usize, found: &mut Findings) {
    check_name(text, at + 1, at + b"_COOKIE".len(), NameFamily::Secret, found);
}

fn check_bearer_name(text: &[u8], at: usize, found: &mut Findings) {
    check_name(text, at + 1, at + b"_BEARER".len(), NameFamily::Token, found);
}

fn check_certificate(text: &[u8], at: usize, found: &mut Findings) {
    let start = if text[at] == b'_' { at + 1 } else { at + 2 };
    check_name(text, start, start + b"Certificate".len(), NameFamily::Key, found);
}

fn check_key_content(text: &[u8], at: usize, found: &mut Findings) {
    check_name(text, at, at + b"Key Content".len(), NameFamily::Password, found);
}

fn check_pw(text: &[u8], at: usize, found: &mut Findings) {
    check_name(text, at + 1, at + b"_pw".len(), NameFamily::Password, found);
}

fn check_pat(text: &[u8], at: usize, found: &mut Findings) {
    check_name(text, at + 1, at + b"_pat".len(), NameFamily::Token, found);
}

fn check_capital_pw(text: &[u8], at: usize, found: &mut Findings) {
    check_name(text, at, at + b"PW".len(), NameFamily::Password, found);
}

fn check_team(text: &[u8], at: usize, found: &mut Findings) {
    check_name(text, at, at + b"x-honeycomb-team".len(), NameFamily::Token, found);
}

fn check_bare_cookie(text: &[u8], at: usize, found: &mut Findings) {
    let end = rest_of_line(text, at, 1024).end;
    check_cookie_pairs(text, at, at..end, found);
}

fn check_psk(text: &[u8], at: usize, found: &mut Findings) {
    check_name(text, at, at + b"psk".len(), NameFamily::Password, found);
}

fn check_pwd(text: &[u8], at: usize, found: &mut Findings) {
    check_name(text, at, at + b"pwd".len(), NameFamily::Password, found);
}
