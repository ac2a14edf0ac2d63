//! Tokens that their issuers made recognizable by a prefix.

use super::entropy::{Shape, looks_random};
use super::findings::Finding;
use super::kind::SecretKind::{self, *};
use super::placeholder::is_stand_in;
use super::text::{can_begin_token, is_base64_byte, is_lower_hex, is_token_byte, run_end_within, starts_with};

/// A longer run of such bytes is data, not a token.
const LONGEST_BODY: usize = 4096;

/// The bytes a token's body is made of.
#[derive(Clone, Copy)]
pub(super) enum Body {
    /// `A-Z`, `2-7`
    Base32,
    /// `0-9`, `a-f`
    Hex,
    /// `0-9`, `a-f`, `-`
    HexDash,
    /// `A-Z`, `0-9`
    Upper,
    /// `A-Z`, `a-z`, `0-9`
    Alnum,
    /// letters, digits, `_`, `-`
    Token,
    /// letters, digits, `_`, `-`, `.`
    Dotted,
    /// letters, digits, `+`, `/`, `=`, `_`, `-`
    Base64,
    /// letters, digits, `$`, `_`
    Dollar,
}

impl Body {
    fn contains(self, byte: u8) -> bool {
        match self {
            Body::Base32 => matches!(byte, b'A'..=b'Z' | b'2'..=b'7'),
            Body::Hex => is_lower_hex(byte),
            Body::HexDash => is_lower_hex(byte) || byte == b'-',
            Body::Upper => matches!(byte, b'A'..=b'Z' | b'0'..=b'9'),
            Body::Alnum => byte.is_ascii_alphanumeric(),
            Body::Token => is_token_byte(byte),
            Body::Dotted => is_token_byte(byte) || byte == b'.',
            Body::Base64 => is_base64_byte(byte) || is_token_byte(byte),
            Body::Dollar => byte.is_ascii_alphanumeric() || matches!(byte, b'$' | b'_'),
        }
    }
}

/// A prefix, and what must follow it to make a token.
pub(super) struct Rule {
    kind: SecretKind,
    pub(super) prefix: &'static str,
    body: Body,
    shortest: usize,
    longest: usize,
}

/// A token whose length the issuer does not fix: at least `shortest` bytes of body.
const fn open(kind: SecretKind, prefix: &'static str, body: Body, shortest: usize) -> Rule {
    sized(kind, prefix, body, shortest, usize::MAX)
}

/// A token of known length; a longer run of such bytes is something else.
const fn sized(kind: SecretKind, prefix: &'static str, body: Body, shortest: usize, longest: usize) -> Rule {
    Rule { kind, prefix, body, shortest, longest }
}

/// Where one prefix begins with another, the longer stands first: the first rule
/// that fits decides. Minimum lengths lie below the documented ones where the prefix
/// is unmistakable, so that a token cut short is still found.
pub(super) const RULES: &[Rule] = &[
    // Cloud providers
    sized(AwsAccessKey, "AKIA", Body::Base32, 16, 16),
    sized(AwsAccessKey, "ASIA", Body::Base32, 16, 16),
    sized(AwsAccessKey, "ABIA", Body::Base32, 16, 16),
    sized(AwsAccessKey, "ACCA", Body::Base32, 16, 16),
    open(AwsBedrockKey, "ABSK", Body::Base64, 100),
    open(AwsBedrockKey, "bedrock-api-key-", Body::Base64, 60),
    sized(GoogleApiKey, "AIza", Body::Token, 33, 40),
    open(GoogleOauthSecret, "GOCSPX-", Body::Token, 20),
    open(GoogleOauthToken, "ya29.", Body::Dotted, 30),
    open(GoogleOauthToken, "1//0", Body::Token, 35),
    open(GoogleOauthToken, "4/0A", Body::Token, 40),
    sized(Token, "EAA", Body::Alnum, 100, 300),
    open(ApiKey, "pdl_live_", Body::Token, 30),
    open(ApiKey, "pdl_sdbx_", Body::Token, 30),
    open(CloudflareToken, "eyJhIjoi", Body::Base64, 100),
    sized(AlibabaAccessKey, "LTAI", Body::Alnum, 16, 24),
    open(DigitaloceanToken, "dop_v1_", Body::Hex, 40),
    open(DigitaloceanToken, "doo_v1_", Body::Hex, 40),
    open(DigitaloceanToken, "dor_v1_", Body::Hex, 40),
    open(CloudflareToken, "v1.0-", Body::HexDash, 120),
    open(CloudflareToken, "cfut_", Body::Token, 36),
    open(CloudflareToken, "cfat_", Body::Token, 36),
    open(CloudflareToken, "cfk_", Body::Token, 36),
    open(HerokuKey, "HRKU-", Body::Token, 30),
    open(FlyToken, "fm2_", Body::Base64, 40),
    open(FlyToken, "fm1r_", Body::Base64, 40),
    open(FlyToken, "fm1a_", Body::Base64, 40),
    open(FlyToken, "fo1_", Body::Token, 36),
    sized(RenderKey, "rnd_", Body::Alnum, 26, 40),
    open(VercelToken, "vercel_blob_rw_", Body::Token, 30),
    sized(VercelToken, "vcp_", Body::Alnum, 24, 80),
    sized(VercelToken, "vck_", Body::Alnum, 24, 80),
    sized(VercelToken, "vca_", Body::Alnum, 24, 80),
    sized(VercelToken, "vcr_", Body::Alnum, 24, 80),
    open(NetlifyToken, "nfp_", Body::Alnum, 30),
    open(NetlifyToken, "nfc_", Body::Alnum, 30),
    open(NetlifyToken, "nfo_", Body::Alnum, 30),
    open(NetlifyToken, "nfu_", Body::Alnum, 30),
    open(Token, "sha256~", Body::Token, 40),
    open(Token, "tk-us-", Body::Token, 40),
    open(Token, "dnkey-", Body::Token, 50),
    open(ApiKey, "AQVN", Body::Token, 35),
    open(ApiKey, "hcaik_", Body::Alnum, 40),
    open(SupabaseKey, "sbp_v0_", Body::Hex, 40),
    open(SupabaseKey, "sbp_oauth_", Body::Hex, 40),
    open(SupabaseKey, "sbp_", Body::Hex, 40),
    open(SupabaseKey, "sb_secret_", Body::Token, 20),
    open(PlanetscaleToken, "pscale_tkn_", Body::Dotted, 30),
    open(PlanetscaleToken, "pscale_pw_", Body::Dotted, 30),
    open(PlanetscaleToken, "pscale_oauth_", Body::Dotted, 30),
    // Code hosting, packages, build services
    open(GithubToken, "ghp_", Body::Token, 30),
    open(GithubToken, "gho_", Body::Token, 30),
    open(GithubToken, "ghu_", Body::Token, 30),
    open(GithubToken, "ghs_", Body::Dotted, 30),
    open(GithubToken, "ghr_", Body::Token, 30),
    open(GithubToken, "github_pat_", Body::Token, 30),
    open(GitlabToken, "glpat-", Body::Dotted, 18),
    open(GitlabToken, "gldt-", Body::Dotted, 18),
    open(GitlabToken, "glrt-", Body::Dotted, 18),
    open(GitlabToken, "glrtr-", Body::Dotted, 18),
    open(GitlabToken, "glcbt-", Body::Dotted, 18),
    open(GitlabToken, "glptt-", Body::Dotted, 18),
    open(GitlabToken, "glft-", Body::Dotted, 18),
    open(GitlabToken, "glsoat-", Body::Dotted, 18),
    open(GitlabToken, "glagent-", Body::Dotted, 18),
    open(GitlabToken, "glimt-", Body::Dotted, 18),
    open(GitlabToken, "gloas-", Body::Dotted, 18),
    open(GitlabToken, "glffct-", Body::Dotted, 18),
    sized(GitlabToken, "GR1348941", Body::Token, 20, 24),
    sized(AtlassianToken, "ATBB", Body::Alnum, 24, 36),
    open(AtlassianToken, "ATATT3", Body::Base64, 60),
    open(AtlassianToken, "ATCTT3", Body::Base64, 60),
    open(AtlassianToken, "BBDC-", Body::Base64, 40),
    sized(AtlassianToken, "ATTA", Body::Alnum, 60, 80),
    open(ArtifactoryToken, "cmVmdGtu", Body::Alnum, 50),
    open(Token, "CLOJARS_", Body::Alnum, 40),
    open(BuildkiteToken, "bkaj_", Body::Alnum, 40),
    open(BuildkiteToken, "bkct_", Body::Alnum, 40),
    sized(NpmToken, "npm_", Body::Alnum, 30, 40),
    open(PypiToken, "pypi-", Body::Token, 50),
    open(RubygemsKey, "rubygems_", Body::Hex, 40),
    open(DockerToken, "dckr_pat_", Body::Token, 20),
    open(DockerToken, "dckr_oat_", Body::Token, 20),
    sized(ArtifactoryToken, "AKCp", Body::Alnum, 60, 80),
    open(PulumiToken, "pul-", Body::Hex, 40),
    open(SonarqubeToken, "sqp_", Body::Hex, 40),
    open(SonarqubeToken, "squ_", Body::Hex, 40),
    open(SonarqubeToken, "sqa_", Body::Hex, 40),
    open(CircleciToken, "CCIPAT_", Body::Token, 40),
    open(CircleciToken, "CCIPRJ_", Body::Token, 40),
    open(BuildkiteToken, "bkua_", Body::Hex, 40),
    open(SourcegraphToken, "sgp_", Body::Token, 40),
    // Model vendors and their tools
    open(AnthropicKey, "sk-ant-", Body::Token, 24),
    open(OpenaiKey, "sk-proj-", Body::Token, 24),
    open(OpenaiKey, "sk-svcacct-", Body::Token, 24),
    open(OpenaiKey, "sk-admin-", Body::Token, 24),
    open(OpenaiKey, "sk-None-", Body::Token, 24),
    open(AiApiKey, "sk-or-v1-", Body::Token, 32),
    open(AiApiKey, "sk-lf-", Body::Token, 32),
    sized(OpenaiKey, "sk-", Body::Alnum, 48, 48),
    sized(AiApiKey, "sk-", Body::Token, 24, 200),
    sized(HuggingfaceToken, "hf_", Body::Alnum, 30, 40),
    sized(HuggingfaceToken, "api_org_", Body::Alnum, 30, 40),
    open(GroqKey, "gsk_", Body::Alnum, 40),
    open(AiApiKey, "xai-", Body::Token, 60),
    open(AiApiKey, "pplx-", Body::Alnum, 40),
    sized(AiApiKey, "r8_", Body::Alnum, 32, 42),
    open(AiApiKey, "nvapi-", Body::Token, 50),
    open(AiApiKey, "csk-", Body::Alnum, 40),
    open(AiApiKey, "tgp_v1_", Body::Token, 40),
    open(AiApiKey, "jina_", Body::Token, 50),
    open(AiApiKey, "tvly-", Body::Token, 24),
    open(AiApiKey, "pcsk_", Body::Token, 50),
    open(AiApiKey, "lsv2_pt_", Body::Token, 32),
    open(AiApiKey, "lsv2_sk_", Body::Token, 32),
    sized(AiApiKey, "e2b_", Body::Hex, 40, 40),
    open(AiApiKey, "esecret_", Body::Alnum, 20),
    sized(AiApiKey, "rpa_", Body::Alnum, 40, 60),
    open(ApiKey, "sk.eyJ", Body::Dotted, 50),
    open(AiApiKey, "ctx7sk-", Body::Token, 30),
    // Messaging and mail
    open(SlackToken, "xoxe.xox", Body::Token, 30),
    open(SlackToken, "xoxb-", Body::Token, 20),
    open(SlackToken, "xoxp-", Body::Token, 20),
    open(SlackToken, "xoxa-", Body::Token, 20),
    open(SlackToken, "xoxr-", Body::Token, 20),
    open(SlackToken, "xoxs-", Body::Token, 20),
    open(SlackToken, "xoxe-", Body::Token, 20),
    open(SlackToken, "xoxc-", Body::Token, 20),
    open(SlackToken, "xoxd-", Body::Base64, 20),
    open(SlackToken, "xapp-", Body::Token, 30),
    sized(SendgridKey, "SG.", Body::Dotted, 60, 75),
    sized(MailgunKey, "key-", Body::Hex, 32, 32),
    open(Token, "dG9rOj", Body::Base64, 40),
    open(Token, "EAAB", Body::Alnum, 80),
    open(Token, "EAAC", Body::Alnum, 80),
    open(Token, "EAAD", Body::Alnum, 80),
    open(Token, "EAAE", Body::Alnum, 80),
    open(Token, "EAAG", Body::Alnum, 80),
    open(Token, "EAAI", Body::Alnum, 80),
    open(Token, "EAAJ", Body::Alnum, 80),
    open(Token, "IGQV", Body::Alnum, 60),
    open(BrevoKey, "xkeysib-", Body::Token, 64),
    open(BrevoKey, "xsmtpsib-", Body::Token, 64),
    // Payments and shops
    open(StripeKey, "sk_live_", Body::Token, 16),
    open(StripeKey, "sk_test_", Body::Token, 16),
    open(StripeKey, "rk_live_", Body::Token, 16),
    open(StripeKey, "rk_test_", Body::Token, 16),
    open(StripeKey, "sk_prod_", Body::Token, 16),
    open(StripeKey, "rk_prod_", Body::Token, 16),
    open(StripeWebhookSecret, "whsec_", Body::Base64, 24),
    open(SquareToken, "sq0atp-", Body::Token, 20),
    open(SquareToken, "sq0csp-", Body::Token, 20),
    sized(SquareToken, "EAAA", Body::Base64, 58, 66),
    open(StripeKey, "sk_sbox_", Body::Token, 20),
    sized(ApiKey, "rzp_live_", Body::Alnum, 14, 24),
    sized(ApiKey, "rzp_test_", Body::Alnum, 14, 24),
    open(ApiKey, "FLWSECK-", Body::Token, 24),
    open(ApiKey, "FLWSECK_TEST-", Body::Token, 12),
    open(Token, "duffel_live_", Body::Token, 30),
    open(Token, "duffel_test_", Body::Token, 30),
    open(Token, "shippo_live_", Body::Hex, 32),
    open(Token, "shippo_test_", Body::Hex, 32),
    sized(ApiKey, "EZAK", Body::Alnum, 50, 60),
    sized(ApiKey, "EZTK", Body::Alnum, 50, 60),
    open(Token, "access-production-", Body::HexDash, 36),
    open(Token, "access-development-", Body::HexDash, 36),
    open(Token, "access-sandbox-", Body::HexDash, 36),
    open(BraintreeToken, "access_token$production$", Body::Dollar, 30),
    open(BraintreeToken, "access_token$sandbox$", Body::Dollar, 30),
    open(ShopifyToken, "shpat_", Body::Hex, 32),
    open(ShopifyToken, "shpca_", Body::Hex, 32),
    open(ShopifyToken, "shppa_", Body::Hex, 32),
    open(ShopifyToken, "shpss_", Body::Hex, 32),
    open(ShopifyToken, "shpua_", Body::Hex, 32),
    open(ShopifyToken, "shptka_", Body::Hex, 32),
    // Work tools, monitoring, secret stores
    open(LinearKey, "lin_api_", Body::Alnum, 32),
    open(LinearKey, "lin_oauth_", Body::Alnum, 32),
    open(NotionToken, "ntn_", Body::Alnum, 40),
    sized(NotionToken, "secret_", Body::Alnum, 43, 43),
    open(FigmaToken, "figd_", Body::Token, 36),
    open(PostmanKey, "PMAK-", Body::HexDash, 50),
    open(ContentfulToken, "CFPAT-", Body::Token, 40),
    open(HubspotToken, "pat-na1-", Body::HexDash, 36),
    open(HubspotToken, "pat-na2-", Body::HexDash, 36),
    open(HubspotToken, "pat-eu1-", Body::HexDash, 36),
    open(HubspotToken, "pat-ap1-", Body::HexDash, 36),
    open(Token, "tfp_", Body::Token, 30),
    open(Token, "fio-u-", Body::Token, 40),
    open(ApiKey, "rdme_", Body::Alnum, 50),
    sized(ApiKey, "pnu_", Body::Alnum, 30, 45),
    sized(ApiKey, "ico-", Body::Alnum, 32, 32),
    sized(ApiKey, "aio_", Body::Alnum, 28, 28),
    open(Secret, "s-s4t2ud-", Body::Hex, 60),
    open(Token, "sm_pat_", Body::Alnum, 16),
    open(GrafanaToken, "eyJrIjoi", Body::Base64, 60),
    sized(Token, "sl.u.", Body::Dotted, 100, 1500),
    sized(Token, "sl.B", Body::Token, 100, 1500),
    open(NewRelicKey, "NRII-", Body::Token, 30),
    open(NewRelicKey, "NRRA-", Body::Hex, 40),
    open(SentryToken, "sntrys_", Body::Base64, 50),
    open(SentryToken, "sntryu_", Body::Hex, 50),
    open(GrafanaToken, "glsa_", Body::Token, 32),
    open(GrafanaToken, "glc_", Body::Base64, 40),
    sized(NewRelicKey, "NRAK-", Body::Upper, 25, 30),
    open(DynatraceToken, "dt0c01.", Body::Dotted, 80),
    open(PosthogKey, "phx_", Body::Alnum, 40),
    sized(DatabricksToken, "dapi", Body::HexDash, 32, 34),
    open(VaultToken, "hvs.", Body::Token, 24),
    open(VaultToken, "hvb.", Body::Token, 24),
    open(VaultToken, "hvr.", Body::Token, 24),
    open(DopplerToken, "dp.pt.", Body::Dotted, 40),
    open(DopplerToken, "dp.st.", Body::Dotted, 40),
    open(DopplerToken, "dp.ct.", Body::Dotted, 40),
    open(DopplerToken, "dp.sa.", Body::Dotted, 40),
    open(DopplerToken, "dp.scim.", Body::Dotted, 40),
    open(OnepasswordToken, "ops_eyJ", Body::Base64, 100),
    open(TailscaleKey, "tskey-", Body::Token, 24),
    open(AgeSecretKey, "AGE-SECRET-KEY-1", Body::Upper, 50),
    open(PrivateKey, "xprv9", Body::Alnum, 100),
];

/// Prefixes too short or too common to be looked for everywhere. They give a name to
/// what is found by its surroundings; `cio` is also looked for after a quote or a blank.
const COMMON_PREFIX_RULES: &[Rule] = &[
    sized(CratesToken, "cio", Body::Alnum, 32, 32),
    sized(NugetKey, "oy2", Body::Alnum, 43, 43),
    sized(AiApiKey, "sk_", Body::Hex, 48, 48),
    sized(AiApiKey, "fw_", Body::Alnum, 22, 30),
    sized(AiApiKey, "fc-", Body::Hex, 32, 32),
    sized(AiApiKey, "pa-", Body::Token, 43, 48),
    sized(ResendKey, "re_", Body::Token, 30, 40),
];

/// The token that begins at `at`, if one does.
pub(super) fn token_at(text: &[u8], at: usize) -> Option<Finding> {
    if !can_begin_token(text, at) {
        return None;
    }
    let mut rules = RULES.iter().chain(COMMON_PREFIX_RULES);
    rules.find_map(|rule| rule.token_at(text, at))
}

impl Rule {
    fn token_at(&self, text: &[u8], at: usize) -> Option<Finding> {
        if !starts_with(text, at, self.prefix.as_bytes()) {
            return None;
        }
        let start = at + self.prefix.len();
        let end = self.body_end(text, start)?;
        let body = &text[start..end];
        if is_stand_in(body) || !self.is_plausible(body) {
            return None;
        }
        Some(Finding::new(self.kind, at..end))
    }

    /// The end of the body, when its length fits. An open body takes in what is
    /// glued to it: nothing of a token may be left standing beside its marker.
    fn body_end(&self, text: &[u8], start: usize) -> Option<usize> {
        let limit = self.longest.saturating_add(1).min(LONGEST_BODY);
        let mut end = run_end_within(text, start, limit, |byte| self.body.contains(byte));
        while end > start && text[end - 1] == b'.' {
            end -= 1; // the full stop of a sentence
        }
        let length = end - start;
        if length < self.shortest || length > self.longest || length >= LONGEST_BODY {
            return None;
        }
        let glued_end = run_end_within(text, end, LONGEST_BODY, is_token_byte);
        let fixed = self.longest != usize::MAX;
        (glued_end == end || !fixed).then_some(glued_end)
    }

    /// The prefix says enough; what follows must only not be words or a pattern. Where
    /// the prefix could as well be a word, what follows must look random.
    fn is_plausible(&self, body: &[u8]) -> bool {
        let shape = Shape::of(body);
        match self.body {
            Body::Base32 | Body::Upper => shape.distinct >= 6,
            Body::Hex | Body::HexDash => shape.distinct >= 7 && shape.digits > 0 && shape.lower > 0,
            _ if self.prefix.len() < 4 => looks_random(body),
            _ => shape.distinct >= 8 && !shape.is_wordy() && (shape.digits > 0 || shape.upper > 0),
        }
    }
}
