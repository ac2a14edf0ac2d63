//! Texts with secrets in them.

use super::super::kind::SecretKind::{self, *};
use super::{Draw, Positive};

/// Collects positives and generates their secrets.
struct Planter<'a> {
    draw: &'a mut Draw,
    list: Vec<Positive>,
}

pub(super) fn positives(draw: &mut Draw) -> Vec<Positive> {
    let mut planter = Planter { draw, list: Vec::new() };
    cloud(&mut planter);
    code_hosting(&mut planter);
    packages(&mut planter);
    models(&mut planter);
    messaging(&mut planter);
    payments(&mut planter);
    work_tools(&mut planter);
    keys_and_tokens(&mut planter);
    urls(&mut planter);
    headers(&mut planter);
    passwords(&mut planter);
    assignments(&mut planter);
    places(&mut planter);
    hard_cases(&mut planter);
    planter.list
}

impl Planter<'_> {
    /// Inserts `secret` at `§` in the template.
    fn plant(&mut self, kind: SecretKind, template: &str, secret: &str) {
        self.add(kind, template.replace('§', secret), &[secret], false);
    }

    /// Inserts a secret that redaction is expected to miss.
    fn plant_hard(&mut self, kind: SecretKind, template: &str, secret: &str) {
        self.add(kind, template.replace('§', secret), &[secret], true);
    }

    fn add(&mut self, kind: SecretKind, text: String, secrets: &[&str], hard: bool) {
        self.list.push(Positive {
            kind,
            text,
            secrets: secrets.iter().map(|&secret| secret.to_owned()).collect(),
            hard,
        });
    }
}

/// The text as written inside a JSON string.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t")
}

/// Assembles a prefix, so that it is not in this source as a whole.
fn join(pieces: &[&str]) -> String {
    pieces.concat()
}

fn cloud(planter: &mut Planter) {
    let id = join(&["AK", "IA"]) + &planter.draw.base32(16);
    planter.plant(AwsAccessKey, "export AWS_ACCESS_KEY_ID=§\n", &id);
    let id = join(&["AS", "IA"]) + &planter.draw.base32(16);
    planter.plant(AwsAccessKey, "[default]\naws_access_key_id = §\nregion = eu-west-1\n", &id);
    let id = join(&["AK", "IA"]) + &planter.draw.base32(16);
    planter.plant(AwsAccessKey, "An error occurred (InvalidAccessKeyId): the key §, does not exist.", &id);
    let secret = planter.draw.base64(40);
    planter.plant(AwsSecretKey, "aws_secret_access_key = §\n", &secret);
    let secret = planter.draw.base64(40);
    planter.plant(AwsSecretKey, "AWS_SECRET_ACCESS_KEY=\"§\"", &secret);
    let secret = planter.draw.base64(40);
    let text = format!("{{\"AccessKey\": {{\"UserName\": \"ci\", \"SecretAccessKey\": \"{secret}\"}}}}");
    planter.add(AwsSecretKey, text, &[&secret], false);
    let id = join(&["AK", "IA"]) + &planter.draw.base32(16);
    let secret = planter.draw.base64(40);
    let text = format!("Access key ID,Secret access key\n{id},{secret}\n");
    planter.add(AwsAccessKey, text, &[&id, &secret], false);
    let key = join(&["AB", "SK"]) + &planter.draw.base64(128);
    planter.plant(AwsBedrockKey, "AWS_BEARER_TOKEN_BEDROCK=§", &key);

    let key = join(&["AI", "za", "Sy"]) + &planter.draw.token(33);
    planter.plant(GoogleApiKey, "https://maps.googleapis.com/maps/api/js?key=§&libraries=places", &key);
    let key = join(&["AI", "za", "Sy"]) + &planter.draw.token(33);
    planter.plant(GoogleApiKey, "const firebaseConfig = {\n  apiKey: \"§\",\n  projectId: \"demo\"\n};", &key);
    let secret = join(&["GOC", "SPX-"]) + &planter.draw.token(28);
    planter.plant(
        GoogleOauthSecret,
        "{\"web\":{\"client_id\":\"1.apps.googleusercontent.com\",\"client_secret\":\"§\"}}",
        &secret,
    );
    let token = join(&["ya", "29."]) + &planter.draw.token(120);
    planter.plant(GoogleOauthToken, "gcloud printed §", &token);
    let token = join(&["1/", "/0"]) + &planter.draw.token(60);
    planter.plant(GoogleOauthToken, "\"refresh_token\": \"§\",", &token);

    let key = planter.draw.base64(86) + "==";
    planter.plant(
        AzureKey,
        "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=§;EndpointSuffix=core.windows.net",
        &key,
    );
    let key = planter.draw.base64(43) + "=";
    planter.plant(
        AzureKey,
        "Endpoint=sb://bus.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=§",
        &key,
    );
    let signature = planter.draw.alnum(41) + "%2B%3D";
    planter.plant(
        AzureSignature,
        "https://shop.blob.core.windows.net/c/f.txt?sv=2023-01-03&se=2025-01-01&sr=b&sp=r&sig=§",
        &signature,
    );
    let secret = planter.draw.alnum(3) + &join(&["8", "Q~"]) + &planter.draw.token(34);
    planter.plant(AzureClientSecret, "the app registration shows § (only once)", &secret);
    let key = planter.draw.alnum(84);
    planter.plant(AzureKey, "AZURE_OPENAI_API_KEY=§", &key);

    let token = join(&["dop", "_v1_"]) + &planter.draw.hex(64);
    planter.plant(DigitaloceanToken, "doctl auth init -t §", &token);
    let key = join(&["v1", ".0-"]) + &planter.draw.hex(24) + "-" + &planter.draw.hex(146);
    planter.plant(CloudflareToken, "X-Auth-User-Service-Key: §", &key);
    let key = planter.draw.token(40);
    planter.plant(Token, "CLOUDFLARE_API_TOKEN=§", &key);
    let key = join(&["HR", "KU-"]) + &planter.draw.uuid();
    planter.plant(HerokuKey, "heroku login wrote §", &key);
    let key = planter.draw.uuid();
    planter.plant(HerokuKey, "HEROKU_API_KEY=§ git push heroku main", &key);
    let token = join(&["fm", "2_"]) + &planter.draw.base64(160);
    planter.plant(FlyToken, "FLY_API_TOKEN=\"FlyV1 §\"", &token);
    let key = join(&["sb", "p_"]) + &planter.draw.hex(40);
    planter.plant(SupabaseKey, "supabase login --token §", &key);
    let token = join(&["psc", "ale_tkn_"]) + &planter.draw.token(43);
    planter.plant(PlanetscaleToken, "PLANETSCALE: §", &token);
    let token = join(&["nf", "p_"]) + &planter.draw.alnum(36);
    planter.plant(NetlifyToken, "netlify deploy --auth §", &token);
    let key = join(&["LT", "AI"]) + "5t" + &planter.draw.alnum(18);
    planter.plant(AlibabaAccessKey, "accessKeyId: '§'", &key);
}

fn code_hosting(planter: &mut Planter) {
    let token = join(&["gh", "p_"]) + &planter.draw.alnum(36);
    planter.plant(GithubToken, "GITHUB_TOKEN=§", &token);
    let token = join(&["gh", "p_"]) + &planter.draw.alnum(36);
    planter.plant(GithubToken, "remote: https://§@github.com/acme/shop.git", &token);
    let token = join(&["gh", "o_"]) + &planter.draw.alnum(36);
    planter.plant(GithubToken, "  ✓ Token: §\n", &token);
    let token = join(&["gh", "u_"]) + &planter.draw.alnum(36);
    planter.plant(GithubToken, "user-to-server token (§) expired", &token);
    let token = join(&["gh", "s_"]) + &planter.draw.alnum(36);
    planter.plant(GithubToken, "git clone https://x-access-token:§@github.com/acme/shop", &token);
    let token = join(&["gh", "r_"]) + &planter.draw.alnum(76);
    planter.plant(GithubToken, "refresh=§;", &token);
    let token = join(&["github", "_pat_"]) + &planter.draw.alnum(22) + "_" + &planter.draw.alnum(59);
    planter.plant(GithubToken, "gh auth login --with-token <<< §", &token);
    let token = join(&["gh", "p_"]) + &planter.draw.alnum(36);
    planter.plant(GithubToken, "\u{1b}[32m§\u{1b}[0m", &token);
    let token = join(&["gl", "pat-"]) + &planter.draw.token(20);
    planter.plant(GitlabToken, "curl --header \"PRIVATE-TOKEN: §\" https://gitlab.com/api/v4/user", &token);
    let token = join(&["gl", "pat-"]) + &planter.draw.token(27) + ".01." + &planter.draw.lower(9);
    planter.plant(GitlabToken, "glab auth login -t §", &token);
    let token = join(&["gl", "rt-"]) + &planter.draw.token(20);
    planter.plant(GitlabToken, "gitlab-runner register --token §", &token);
    let token = join(&["gl", "dt-"]) + &planter.draw.token(20);
    planter.plant(GitlabToken, "docker login -p §", &token);
    let token = join(&["GR13", "48941"]) + &planter.draw.token(20);
    planter.plant(GitlabToken, "registration: §", &token);
    let token = join(&["AT", "BB"]) + &planter.draw.alnum(32);
    planter.plant(AtlassianToken, "bitbucket app password §", &token);
    let token = join(&["AT", "ATT3x", "FfGF0"]) + &planter.draw.token(170) + "=" + &planter.draw.upper(8);
    planter.plant(AtlassianToken, "JIRA_API_TOKEN=§", &token);
    let token = join(&["sg", "p_"]) + &planter.draw.hex(40);
    planter.plant(SourcegraphToken, "SRC_ACCESS_TOKEN: §", &token);
    let token = join(&["CCI", "PAT_"]) + &planter.draw.alnum(22) + "_" + &planter.draw.hex(40);
    planter.plant(CircleciToken, "circleci setup, §", &token);
    let token = planter.draw.alnum(14) + &join(&[".atlas", "v1."]) + &planter.draw.token(67);
    planter.plant(TerraformToken, "credentials \"app.terraform.io\" {\n  token = \"§\"\n}", &token);
    let token = join(&["pu", "l-"]) + &planter.draw.hex(40);
    planter.plant(PulumiToken, "PULUMI_ACCESS_TOKEN=§", &token);
    let token = join(&["sq", "p_"]) + &planter.draw.hex(40);
    planter.plant(SonarqubeToken, "sonar-scanner -Dsonar.login=§", &token);
}

fn packages(planter: &mut Planter) {
    let token = join(&["np", "m_"]) + &planter.draw.alnum(36);
    planter.plant(NpmToken, "//registry.npmjs.org/:_authToken=§\n", &token);
    let token = join(&["np", "m_"]) + &planter.draw.alnum(36);
    planter.plant(NpmToken, "npm ERR! 403 using §", &token);
    let token = planter.draw.uuid();
    planter.plant(Token, "//registry.npmjs.org/:_authToken=§\n", &token);
    let token = join(&["py", "pi-", "AgEIcHlwaS5vcmc"]) + &planter.draw.token(140);
    planter.plant(PypiToken, "[pypi]\nusername = __token__\npassword = §\n", &token);
    let token = join(&["ci", "o"]) + &planter.draw.alnum(32);
    planter.plant(CratesToken, "cargo login §", &token);
    let token = join(&["ci", "o"]) + &planter.draw.alnum(32);
    planter.plant(CratesToken, "[registry]\ntoken = \"§\"\n", &token);
    let key = join(&["ruby", "gems_"]) + &planter.draw.hex(48);
    planter.plant(RubygemsKey, ":rubygems_api_key: §", &key);
    let key = join(&["oy", "2"]) + &planter.draw.lower(43);
    planter.plant(NugetKey, "dotnet nuget push a.nupkg --api-key § --source nuget.org", &key);
    let token = join(&["dckr", "_pat_"]) + &planter.draw.token(27);
    planter.plant(DockerToken, "echo § | docker login -u acme --password-stdin", &token);
    let token = join(&["AK", "Cp8"]) + &planter.draw.alnum(68);
    planter.plant(ArtifactoryToken, "X-JFrog-Art-Api: §", &token);
}

fn models(planter: &mut Planter) {
    let key = join(&["sk-", "ant-", "api03-"]) + &planter.draw.token(93) + "AA";
    planter.plant(AnthropicKey, "ANTHROPIC_API_KEY=§", &key);
    let key = join(&["sk-", "ant-", "api03-"]) + &planter.draw.token(93) + "AA";
    planter.plant(AnthropicKey, "curl https://api.anthropic.com/v1/messages -H \"x-api-key: §\" -d @body.json", &key);
    let key = join(&["sk-", "ant-", "oat01-"]) + &planter.draw.token(93) + "AA";
    planter.plant(AnthropicKey, "{\"claudeAiOauth\":{\"accessToken\":\"§\",\"expiresAt\":1748658860401}}", &key);
    let key = join(&["sk-", "ant-", "admin01-"]) + &planter.draw.token(93) + "AA";
    planter.plant(AnthropicKey, "admin key `§` leaked", &key);
    let key = join(&["sk-", "proj-"]) + &planter.draw.token(74) + &join(&["T3Blbk", "FJ"]) + &planter.draw.token(74);
    planter.plant(OpenaiKey, "client = OpenAI(api_key=\"§\")", &key);
    let key = join(&["sk-"]) + &planter.draw.alnum(20) + &join(&["T3Blbk", "FJ"]) + &planter.draw.alnum(20);
    planter.plant(OpenaiKey, "openai.api_key = '§'", &key);
    let key = join(&["sk-"]) + &planter.draw.alnum(20) + &join(&["T3Blbk", "FJ"]) + &planter.draw.alnum(20);
    planter.plant(OpenaiKey, "Incorrect API key provided: §. You can find your key at", &key);
    let key = join(&["sk-", "svcacct-"]) + &planter.draw.token(60);
    planter.plant(OpenaiKey, "OPENAI_API_KEY: §\n", &key);
    let key = join(&["sk-", "or-v1-"]) + &planter.draw.hex(64);
    planter.plant(AiApiKey, "OPENROUTER_API_KEY=§", &key);
    let key = join(&["sk-"]) + &planter.draw.hex(32);
    planter.plant(AiApiKey, "deepseek: §", &key);
    let token = join(&["hf", "_"]) + &planter.draw.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", 34);
    planter.plant(HuggingfaceToken, "huggingface-cli login --token §", &token);
    let token = join(&["hf", "_"]) + &planter.draw.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", 34);
    planter.plant(HuggingfaceToken, "model = AutoModel.from_pretrained(name, use_auth_token='§')", &token);
    let key = join(&["gs", "k_"]) + &planter.draw.alnum(52);
    planter.plant(GroqKey, "Groq(api_key=\"§\")", &key);
    let key = join(&["xa", "i-"]) + &planter.draw.alnum(80);
    planter.plant(AiApiKey, "XAI_API_KEY=§", &key);
    let key = join(&["pp", "lx-"]) + &planter.draw.alnum(48);
    planter.plant(AiApiKey, "perplexity § works", &key);
    let key = join(&["r8", "_"]) + &planter.draw.alnum(37);
    planter.plant(AiApiKey, "export REPLICATE_API_TOKEN=§", &key);
    let key = join(&["nv", "api-"]) + &planter.draw.token(64);
    planter.plant(AiApiKey, "NVIDIA_API_KEY='§'", &key);
    let key = join(&["tv", "ly-", "dev-"]) + &planter.draw.alnum(32);
    planter.plant(AiApiKey, "TavilyClient(\"§\")", &key);
    let key = join(&["pc", "sk_"]) + &planter.draw.alnum(6) + "_" + &planter.draw.alnum(63);
    planter.plant(AiApiKey, "Pinecone(api_key='§')", &key);
    let key = join(&["ls", "v2_pt_"]) + &planter.draw.hex(32) + "_" + &planter.draw.hex(10);
    planter.plant(AiApiKey, "LANGCHAIN_API_KEY=\"§\"", &key);
    let key = join(&["fc", "-"]) + &planter.draw.hex(32);
    planter.plant(AiApiKey, "FIRECRAWL_API_KEY=§", &key);
    let key = planter.draw.alnum(32);
    planter.plant(ApiKey, "MISTRAL_API_KEY=§", &key);
    let key = planter.draw.alnum(40);
    planter.plant(ApiKey, "cohere.Client(api_key=\"§\")", &key);
}

fn messaging(planter: &mut Planter) {
    let token = join(&["xo", "xb-"])
        + &planter.draw.digits(12)
        + "-"
        + &planter.draw.digits(13)
        + "-"
        + &planter.draw.alnum(24);
    planter.plant(SlackToken, "SLACK_BOT_TOKEN=§", &token);
    let token = join(&["xo", "xp-"])
        + &planter.draw.digits(12)
        + "-"
        + &planter.draw.digits(12)
        + "-"
        + &planter.draw.digits(12)
        + "-"
        + &planter.draw.hex(32);
    planter.plant(SlackToken, "slack.WebClient(token='§')", &token);
    let token = join(&["xa", "pp-1-A"])
        + &planter.draw.upper(10)
        + "-"
        + &planter.draw.digits(13)
        + "-"
        + &planter.draw.hex(64);
    planter.plant(SlackToken, "{\"appToken\": \"§\"}", &token);
    let path = format!("T{}/B{}/{}", planter.draw.upper(8), planter.draw.upper(10), planter.draw.alnum(24));
    planter.plant(SlackWebhook, "curl -X POST https://hooks.slack.com/services/§ -d '{\"text\":\"hi\"}'", &path);
    let token = discord_token(planter.draw);
    planter.plant(DiscordToken, "DISCORD_TOKEN=§", &token);
    let token = discord_token(planter.draw);
    planter.plant(DiscordToken, "client.login('§');", &token);
    let token = discord_token(planter.draw);
    planter.plant(DiscordToken, "bot.run(\"§\")", &token);
    let token = discord_token(planter.draw);
    planter.plant(DiscordToken, "# discord bot §", &token);
    let path = planter.draw.digits(18) + "/" + &planter.draw.token(68);
    planter.plant(DiscordWebhook, "webhook: https://discord.com/api/webhooks/§", &path);
    let token = planter.draw.digits(10) + ":AAH" + &planter.draw.token(32);
    planter.plant(TelegramToken, "https://api.telegram.org/bot§/getUpdates", &token);
    let token = planter.draw.digits(9) + ":AAF" + &planter.draw.token(32);
    planter.plant(TelegramToken, "Use this token to access the HTTP API:\n§\nKeep it safe", &token);
    let key = join(&["S", "K"]) + &planter.draw.hex(32);
    planter.plant(TwilioKey, "twilio profiles: § (active)", &key);
    let token = planter.draw.hex(32);
    planter.plant(Token, "TWILIO_AUTH_TOKEN=§", &token);
    let key = join(&["S", "G."]) + &planter.draw.token(22) + "." + &planter.draw.token(43);
    planter.plant(SendgridKey, "sgMail.setApiKey('§');", &key);
    let key = join(&["S", "G."]) + &planter.draw.token(22) + "." + &planter.draw.token(43);
    planter.plant(SendgridKey, "smtp: apikey / §.", &key);
    let key = join(&["ke", "y-"]) + &planter.draw.hex(32);
    planter.plant(MailgunKey, "curl -s --user 'api:§' https://api.mailgun.net/v3", &key);
    let key = join(&["xkey", "sib-"]) + &planter.draw.hex(64) + "-" + &planter.draw.alnum(16);
    planter.plant(BrevoKey, "brevo: §", &key);
    let key = join(&["re", "_"]) + &planter.draw.alnum(8) + "_" + &planter.draw.alnum(24);
    planter.plant(ResendKey, "new Resend(process.env.RESEND_API_KEY ?? '§')", &key);
    let id = planter.draw.uuid();
    let path = format!("{id}@{id}/IncomingWebhook/{}/{id}", planter.draw.hex(32));
    planter.plant(TeamsWebhook, "url: https://acme.webhook.office.com/webhookb2/§", &path);
}

/// The form of a Discord bot token: base64 of its number, a time stamp, a code.
fn discord_token(draw: &mut Draw) -> String {
    // Base64 of three digits: a pair from the first list, then one of each letter.
    const PAIRS: [&str; 10] = ["MD", "MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"];
    let mut number = String::new();
    for _ in 0..6 {
        number += PAIRS[draw.below(PAIRS.len())];
        number += &draw.from("AEIMQUYcgk", 1);
        number += &draw.from("wxyz012345", 1);
    }
    format!("{number}.G{}.{}", draw.token(5), draw.token(38))
}

fn payments(planter: &mut Planter) {
    let key = join(&["sk", "_live_"]) + &planter.draw.alnum(99);
    planter.plant(StripeKey, "stripe.api_key = \"§\"", &key);
    let key = join(&["sk", "_test_"]) + &planter.draw.alnum(24);
    planter.plant(StripeKey, "curl https://api.stripe.com/v1/charges -u §:", &key);
    let key = join(&["rk", "_live_"]) + &planter.draw.alnum(24);
    planter.plant(StripeKey, "restricted: §", &key);
    let secret = join(&["wh", "sec_"]) + &planter.draw.alnum(32);
    planter.plant(StripeWebhookSecret, "> Ready! Your webhook signing secret is § (^C to quit)", &secret);
    let token = join(&["sq0", "atp-"]) + &planter.draw.token(22);
    planter.plant(SquareToken, "square § sandbox", &token);
    let token = join(&["EA", "AA"]) + &planter.draw.token(60);
    planter.plant(SquareToken, "SQUARE_ACCESS_TOKEN=§", &token);
    let token = join(&["access_token", "$production$"]) + &planter.draw.lower(16) + "$" + &planter.draw.hex(32);
    planter.plant(BraintreeToken, "braintree: '§'", &token);
    let token = join(&["shp", "at_"]) + &planter.draw.hex(32);
    planter.plant(ShopifyToken, "X-Shopify-Access-Token: §", &token);
    let token = join(&["shp", "ss_"]) + &planter.draw.hex(32);
    planter.plant(ShopifyToken, "shared secret §\n", &token);
}

fn work_tools(planter: &mut Planter) {
    let key = join(&["lin", "_api_"]) + &planter.draw.alnum(40);
    planter.plant(LinearKey, "Authorization: §", &key);
    let token = join(&["nt", "n_"]) + &planter.draw.alnum(46);
    planter.plant(NotionToken, "NOTION_TOKEN=§", &token);
    let token = join(&["secret", "_"]) + &planter.draw.alnum(43);
    planter.plant(NotionToken, "new Client({ auth: \"§\" })", &token);
    let token = join(&["fi", "gd_"]) + &planter.draw.token(40);
    planter.plant(FigmaToken, "X-Figma-Token: §", &token);
    let key = join(&["PM", "AK-"]) + &planter.draw.hex(24) + "-" + &planter.draw.hex(34);
    planter.plant(PostmanKey, "newman run --postman-api-key §", &key);
    let token = join(&["pat-", "na1-"]) + &planter.draw.uuid();
    planter.plant(HubspotToken, "hubspot: §", &token);
    let token = join(&["sntr", "ys_"]) + &planter.draw.alnum(90) + "_" + &planter.draw.alnum(43);
    planter.plant(SentryToken, "SENTRY_AUTH_TOKEN=§", &token);
    let token = join(&["gl", "sa_"]) + &planter.draw.alnum(32) + "_" + &planter.draw.hex(8);
    planter.plant(GrafanaToken, "grafana api: §", &token);
    let key = join(&["NR", "AK-"]) + &planter.draw.upper(27);
    planter.plant(NewRelicKey, "newrelic § ok", &key);
    let token = join(&["dt0", "c01."]) + &planter.draw.upper(24) + "." + &planter.draw.upper(64);
    planter.plant(DynatraceToken, "Api-Token §", &token);
    let token = join(&["da", "pi"]) + &planter.draw.hex(32);
    planter.plant(DatabricksToken, "databricks configure --token <<< \"§\"", &token);
    let token = join(&["hv", "s."]) + &planter.draw.token(90);
    planter.plant(VaultToken, "export VAULT_TOKEN=§", &token);
    let token = join(&["hv", "s."]) + &planter.draw.token(24);
    planter.plant(VaultToken, "token                §\ntoken_accessor       x", &token);
    let token = join(&["dp", ".pt."]) + &planter.draw.alnum(43);
    planter.plant(DopplerToken, "doppler configure set token §", &token);
    let key = join(&["ts", "key-auth-"]) + "k" + &planter.draw.alnum(10) + "CNTRL-" + &planter.draw.alnum(32);
    planter.plant(TailscaleKey, "sudo tailscale up --authkey §", &key);
    let token = join(&["ops", "_eyJ"]) + &planter.draw.alnum(300);
    planter.plant(OnepasswordToken, "OP_SERVICE_ACCOUNT_TOKEN=§", &token);
    let key = planter.draw.hex(32);
    planter.plant(ApiKey, "DD_API_KEY=§ datadog-agent run", &key);
}

/// Lines of base64, as in a PEM block.
fn key_lines(draw: &mut Draw, lines: usize) -> Vec<String> {
    let mut list: Vec<String> = (0..lines).map(|_| draw.base64(64)).collect();
    list.push(draw.base64(22) + "==");
    list
}

fn pem(label: &str, lines: &[String], line_end: &str) -> String {
    let begin = join(&["-----BE", "GIN "]);
    let end = join(&["-----E", "ND "]);
    let body = lines.join(line_end);
    format!("{begin}{label}-----{line_end}{body}{line_end}{end}{label}-----")
}

fn keys_and_tokens(planter: &mut Planter) {
    let private = |kind: &str| join(&[kind, "PRIVATE", " KEY"]);
    let add_block = |planter: &mut Planter, text: String, lines: &[String]| {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        planter.add(PrivateKey, text, &lines, false);
    };
    for kind in ["RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED ", "DSA "] {
        let lines = key_lines(planter.draw, 6);
        let text = format!("$ cat id\n{}\n$ ", pem(&private(kind), &lines, "\n"));
        add_block(planter, text, &lines);
    }
    let lines = key_lines(planter.draw, 24);
    let block = pem(&private(""), &lines, "\\n");
    let text =
        format!("{{\"type\": \"service_account\", \"private_key\": \"{block}\\n\", \"client_email\": \"a@b.iam\"}}");
    add_block(planter, text, &lines);
    let lines = key_lines(planter.draw, 4);
    let text =
        format!("\"content\":\"{}\"", escape(&escape(&format!("k: \"{}\"", pem(&private("RSA "), &lines, "\n")))));
    add_block(planter, text, &lines);
    let lines = key_lines(planter.draw, 5);
    let whole = pem(&private("RSA "), &lines, "\n");
    let cut = whole.split("\n-----E").next().unwrap_or(&whole).to_owned();
    add_block(planter, cut, &lines);
    let lines = key_lines(planter.draw, 5);
    let whole = pem(&private("EC "), &lines, "\\n");
    let cut = whole.split("\\n-----E").next().unwrap_or(&whole).to_owned();
    add_block(planter, format!("\"stdout\":\"{cut}\",\"stderr\":\"\""), &lines);
    let lines = key_lines(planter.draw, 3);
    let whole = pem(&private("RSA "), &lines, "\n");
    let cut = whole.split("\n-----E").next().unwrap_or(&whole).to_owned();
    add_block(planter, cut + &" ".repeat(80) + "(cut)", &lines);
    let lines = key_lines(planter.draw, 4);
    let block = pem(&private("RSA "), &lines, "\n");
    let numbered: Vec<String> =
        block.lines().enumerate().map(|(index, line)| format!("{:>6}→{line}", index + 1)).collect();
    add_block(planter, numbered.join("\n"), &lines);
    let lines = key_lines(planter.draw, 4);
    let block = pem(&private(""), &lines, "\n");
    let added: Vec<String> = block.lines().map(|line| format!("+{line}")).collect();
    add_block(planter, format!("@@ -0,0 +1,6 @@\n{}", added.join("\n")), &lines);
    let lines = key_lines(planter.draw, 4);
    let block = pem(&private(""), &lines, "\n");
    let indented: Vec<String> = block.lines().map(|line| format!("    {line}")).collect();
    add_block(planter, format!("tls.key: |\n{}\ntype: Opaque", indented.join("\n")), &lines);
    let lines = key_lines(planter.draw, 3);
    let block = pem(&private("RSA "), &lines, "\n");
    let literals: Vec<String> = block.lines().map(|line| format!("    \"{line}\\n\"")).collect();
    add_block(planter, format!("KEY = (\n{}\n)", literals.join("\n")), &lines);
    let lines = key_lines(planter.draw, 8);
    let label = join(&["PGP ", "PRIVATE", " KEY BLOCK"]);
    let block = pem(&label, &lines, "\n").replacen("-----\n", "-----\nVersion: GnuPG v2\n\n", 1);
    add_block(planter, block, &lines);
    let lines = key_lines(planter.draw, 4);
    let block = pem(&private("RSA "), &lines, "\n").replacen(
        "-----\n",
        "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF0123456789ABCDEF\n\n",
        1,
    );
    add_block(planter, block, &lines);
    let lines = key_lines(planter.draw, 1);
    let text = format!("PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 2\n{}\nPrivate-MAC: 00", lines.join("\n"));
    add_block(planter, text, &lines);

    let key = join(&["AGE-SECRET", "-KEY-1"]) + &planter.draw.from("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58);
    planter.plant(AgeSecretKey, "# public key: age1abc\n§\n", &key);

    let token = jwt(planter.draw, 300);
    planter.plant(Jwt, "GET /me\nauthorization: Bearer §\n", &token);
    let token = jwt(planter.draw, 120);
    planter.plant(Jwt, "console.log(§)", &token);
    let token = jwt(planter.draw, 90);
    planter.plant(Jwt, "SUPABASE_SERVICE_ROLE_KEY=§", &token);
    let token = jwt(planter.draw, 200);
    planter.plant(Jwt, "wss://host/socket?token=§&v=2", &token);
    let token = jwt(planter.draw, 60);
    let cut: String = token.rsplit_once('.').map(|(head, _)| head.to_owned()).unwrap_or(token);
    planter.plant(Jwt, "Set: §…", &cut);
}

/// A token whose header says HS256 and JWT.
fn jwt(draw: &mut Draw, payload: usize) -> String {
    let header = join(&["eyJhbGciOiJIUzI1NiIs", "InR5cCI6IkpXVCJ9"]);
    let payload = join(&["ey", "J"]) + &draw.token(payload);
    format!("{header}.{payload}.{}", draw.token(43))
}

fn urls(planter: &mut Planter) {
    let templates = [
        "DATABASE_URL=postgres://shop:§@db.internal:5432/shop",
        "postgresql+asyncpg://app:§@10.0.0.5/app?sslmode=require",
        "mongodb+srv://admin:§@cluster0.ab1cd.mongodb.net/test",
        "redis://:§@cache:6379/0",
        "amqps://worker:§@rabbit.internal/vhost",
        "git clone https://deploy:§@git.acme.dev/shop.git",
        "\"url\": \"mysql://root:§@127.0.0.1:3306/app\",",
        "{\\\"dsn\\\":\\\"postgres://svc:§@pg/svc\\\"}",
        "proxy = http://jan:§@proxy.acme.dev:3128",
        "ftp://files:§@ftp.acme.dev/in",
        "smtps://mailer%40acme.dev:§@smtp.acme.dev:465",
        "connecting to 'clickhouse://default:§@ch:9000'",
    ];
    for template in templates {
        let password = planter.draw.alnum(14);
        planter.plant(UrlPassword, template, &password);
    }
    planter.plant(UrlPassword, "postgres://app:§@db/app", &join(&["sun", "flower"]));
    planter.plant(UrlPassword, "mysql://app:§@db/app", &join(&["p%40ss", "-w0rd%21"]));
    let token = planter.draw.alnum(40);
    planter.plant(Token, "GET /v1/items?page=2&access_token=§&limit=10 HTTP/1.1", &token);
    let key = planter.draw.hex(32);
    planter.plant(ApiKey, "https://api.openweathermap.org/data?q=Rome&api_key=§", &key);
    let secret = planter.draw.alnum(32);
    planter.plant(Secret, "POST /oauth/token body: grant_type=client_credentials&client_secret=§", &secret);
}

fn headers(planter: &mut Planter) {
    let token = planter.draw.alnum(40);
    planter.plant(BearerToken, "curl -H 'Authorization: Bearer §' https://api.acme.dev", &token);
    let token = planter.draw.token(64);
    planter.plant(BearerToken, "\\\"Authorization\\\": \\\"Bearer §\\\"", &token);
    let token = planter.draw.hex(40);
    planter.plant(BearerToken, "headers={\"Authorization\": \"Bearer §\"}", &token);
    let token = planter.draw.hex(40);
    planter.plant(Credential, "Authorization: token §", &token);
    let token = planter.draw.uuid();
    planter.plant(BearerToken, "Authorization: Bearer §", &token);
    // Basic credentials: base64 of a user and a generated password.
    let basic = join(&["amFu", "OldhbGQ3IUhhdXM="]);
    planter.plant(BasicAuth, "Authorization: Basic §", &basic);
    let basic = join(&["ZGVwbG95", "OmtYOXZRemo3d1JiVDJt"]);
    planter.plant(BasicAuth, "req.headers['authorization'] = 'Basic §'", &basic);
    let password = planter.draw.password(12);
    planter.plant(Password, "curl -u admin:§ https://nexus.acme.dev", &password);
    let password = planter.draw.password(12);
    planter.plant(
        Password,
        "curl -k -X POST https://cache.acme.dev/rest \\\n  -H 'Accept: text/plain' \\\n  -u dev:§",
        &password,
    );
    let password = planter.draw.alnum(16);
    planter.plant(Password, "curl --user jan:'§' -iX PATCH acme.dev", &password);
    let token = planter.draw.uuid();
    planter.plant(Token, "SNYK_TOKEN=§ snyk test", &token);
    let password = planter.draw.password(12);
    planter.plant(Password, "machine git.acme.dev\n  login jan\n  password §\n", &password);
    let key = planter.draw.alnum(32);
    planter.plant(ApiKey, "X-API-Key: §", &key);
    let key = planter.draw.alnum(40);
    planter.plant(ApiKey, "-H \"api-key: §\"", &key);
    let token = planter.draw.alnum(48);
    planter.plant(Token, "X-Auth-Token: §\r\n", &token);
    let cookie = planter.draw.alnum(32);
    planter.plant(SessionCookie, "Cookie: theme=dark; sessionid=§; lang=en", &cookie);
    let cookie = planter.draw.token(44);
    planter.plant(SessionCookie, "set-cookie: connect.sid=§; Path=/; HttpOnly", &cookie);
    let auth = planter.draw.base64(40);
    planter.plant(Credential, "//npm.acme.dev/:_auth=§", &auth);
}

fn passwords(planter: &mut Planter) {
    let templates = [
        "DB_PASSWORD=§",
        "export PGPASSWORD='§'",
        "MYSQL_ROOT_PASSWORD: \"§\"",
        "spring.datasource.password=§",
        "  password: §\n  host: db",
        "{\"user\":\"jan\",\"password\":\"§\"}",
        "{\\\"username\\\":\\\"jan\\\",\\\"password\\\":\\\"§\\\"}",
        "\\\\\\\"password\\\\\\\": \\\\\\\"§\\\\\\\"",
        "let password = \"§\";",
        "const PASSWORD: &str = \"§\";",
        "var pwd = '§'",
        "mysqldump --user=root --password=§ shop",
        "sshpass -e; psql --password '§'",
        "CREATE USER shop WITH PASSWORD '§';",
        "machine git.acme.dev login jan password §",
        "Server=db;User Id=sa;Password=§;Encrypt=true",
        "<password>§</password>",
        "the admin password is §",
        "config.setPassword(\"§\");",
        "- name: DB_PASSWORD\n  value: \"§\"",
        "{\"name\":\"DB_PASSWORD\",\"value\":\"§\"}",
        "docker run -e POSTGRES_PASSWORD=§ postgres:16",
        "smtp_pass = \"§\"",
        "\"passphrase\": \"§\"",
        "os.environ['DB_PASSWORD'] = '§'",
        "<add key=\"Password\" value=\"§\" />",
        "$env:DB_PASSWORD = \"§\"",
        "wifi password: §",
        "| password | § |",
        "createTransport({ auth: { user: 'jan', pass: '§' } })",
        "mysql -u root -p§ shop",
        "sshpass -p '§' ssh jan@acme.dev",
        "CREATE USER 'shop'@'%' IDENTIFIED BY '§';",
    ];
    for template in templates {
        let password = planter.draw.password(14);
        planter.plant(Password, template, &password);
    }
    planter.plant(Password, "password = \"§\"", &join(&["hun", "ter2"]));
    planter.plant(Password, "ADMIN_PASSWORD=§", &join(&["Sommer", "regen1987"]));
    planter.plant(Password, "\"password\": \"§\"", &join(&["Tr0ub4", "dor&3"]));
    planter.plant(Password, "password: '§'", &join(&["pässwört", "-1848"]));
}

fn assignments(planter: &mut Planter) {
    let token = planter.draw.alnum(40);
    planter.plant(Token, "API_TOKEN=§", &token);
    let token = planter.draw.token(43);
    planter.plant(Token, "\"access_token\": \"§\",", &token);
    let token = planter.draw.token(43);
    planter.plant(Token, "{\\\"refreshToken\\\":\\\"§\\\"}", &token);
    let token = planter.draw.hex(64);
    planter.plant(Token, "auth_token: §\n", &token);
    let token = planter.draw.alnum(24);
    planter.plant(Token, "mycli deploy --token § --region eu", &token);
    let token = planter.draw.alnum(24);
    planter.plant(Token, "mycli deploy --auth-token=§", &token);
    let token = planter.draw.alnum(32);
    planter.plant(Token, "BOT_TOKEN = os.getenv(\"BOT_TOKEN\", \"§\")", &token);
    let key = planter.draw.alnum(32);
    planter.plant(ApiKey, "api_key = \"§\"", &key);
    let key = planter.draw.alnum(32);
    planter.plant(ApiKey, "apiKey: '§',", &key);
    let key = planter.draw.hex(32);
    planter.plant(ApiKey, "const apikey = `§`;", &key);
    let key = planter.draw.alnum(36);
    planter.plant(ApiKey, "os.Setenv(\"ACME_API_KEY\", \"§\")", &key);
    let key = planter.draw.alnum(36);
    planter.plant(ApiKey, "+ACME_API_KEY=§", &key);
    let key = planter.draw.uuid();
    planter.plant(ApiKey, "\"api_key\": \"§\"", &key);
    let key = planter.draw.base64(43) + "=";
    planter.plant(PrivateKey, "[Interface]\nPrivateKey = §\nAddress = 10.0.0.2/32", &key);
    let key = planter.draw.hex(64);
    planter.plant(PrivateKey, "DEPLOYER_PRIVATE_KEY=0x§", &key);
    let secret = planter.draw.alnum(32);
    planter.plant(Secret, "client_secret: §", &secret);
    let secret = planter.draw.base64(44);
    planter.plant(Secret, "JWT_SECRET=\"§\"", &secret);
    let secret = planter.draw.from("abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)", 50).replace(['(', ')'], "z");
    planter.plant(Secret, "SECRET_KEY = 'django-insecure-§'", &secret);
    let secret = planter.draw.hex(128);
    planter.plant(Secret, "secret_key_base: §", &secret);
    let secret = planter.draw.alnum(28);
    planter.plant(Secret, "static final String CLIENT_SECRET = \"§\";", &secret);
    let secret = planter.draw.alnum(28);
    planter.plant(Secret, "webhook_secret => \"§\"", &secret);
    let secret = planter.draw.alnum(32);
    planter.plant(Secret, "| client_secret: `§` |", &secret);
    let key = planter.draw.base64(44);
    planter.plant(ApiKey, "ENCRYPTION_KEY=§", &key);
    let token = planter.draw.alnum(30);
    planter.plant(Token, "let token: string = '§';", &token);
    let token = planter.draw.alnum(30);
    planter.plant(Token, "token := \"§\"", &token);
    let token = planter.draw.alnum(30);
    planter.plant(Token, "\\tGithubToken\\t= \\\"§\\\"", &token);
    let credential = planter.draw.alnum(32);
    planter.plant(Credential, "credential: \"§\"", &credential);
    let token = planter.draw.alnum(40);
    planter.plant(Token, "my token is §, use it", &token);
    let key = planter.draw.alnum(32);
    planter.plant(Credential, "Your API key: §\n", &key);
    let token = planter.draw.base64(600);
    planter.plant(Token, "export AWS_SESSION_TOKEN=§", &token);
    let key = planter.draw.alnum(24);
    planter.plant(ApiKey, "Ocp-Apim-Subscription-Key: §", &key);
}

/// The same token in places that are easy to get wrong.
fn places(planter: &mut Planter) {
    let templates = [
        "§", "§\n", "é§", "「§」", "key→§←", "😀§😀", "token\\n§\\nnext", "line\\t§", "a=§&b=2", "q=%22§%22",
        "x\\u003d§\\u0026y", "(§)", "[§](https://acme.dev)", "**§**", "`§`", "see §.", "see §, then", "§;§",
        "$(echo §)", "<td>§</td>", "\\\\\\\"§\\\\\\\"", "/tmp/§/x", "user:§@", "echo -n \"§\"|base64",
    ];
    for template in templates {
        let token = join(&["gh", "p_"]) + &planter.draw.alnum(36);
        planter.plant(GithubToken, template, &token);
    }
}

/// Secrets that redaction is likely to miss, included so that the rate shows them.
fn hard_cases(planter: &mut Planter) {
    let phrase = join(&["correct horse ", "battery staple"]);
    planter.plant_hard(Password, "password: \"§\"", &phrase);
    let phrase = join(&["sunflower", "meadow"]);
    planter.plant_hard(Password, "password = '§'", &phrase);
    let secret = planter.draw.base64(40);
    planter.plant_hard(AwsSecretKey, "use § for the bucket", &secret);
    let password = planter.draw.lower(8);
    planter.plant_hard(Password, "redis-cli -a § ping", &password);
    let token = planter.draw.alnum(32);
    planter.plant_hard(Token, "Token:\n\n    §\n", &token);
    let password = planter.draw.password(12);
    planter.plant_hard(Password, "log in as jan / §", &password);
    let lines = key_lines(planter.draw, 4);
    let text = format!("{}\n{}RSA {} KEY-----", lines.join("\n"), join(&["-----E", "ND "]), join(&["PRI", "VATE"]));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    planter.add(PrivateKey, text, &lines, true);
    let (head, tail) = (planter.draw.alnum(18), planter.draw.alnum(18));
    let text = format!("t = \"{}{head}\" +\n    \"{tail}\"", join(&["gh", "p_"]));
    planter.add(GithubToken, text, &[&head, &tail], true);
    let password = planter.draw.alnum(6) + "/" + &planter.draw.alnum(6);
    planter.plant_hard(UrlPassword, "postgres://app:§@db/app", &password);
    let pin = planter.draw.digits(8);
    planter.plant_hard(Password, "password: \"§\"", &pin);
    let token = planter.draw.hex(32);
    planter.plant_hard(ApiKey, "datadog: §", &token);
    let secret = planter.draw.alnum(10);
    planter.plant_hard(Secret, "secret = \"§\"", &secret);
    let password = planter.draw.password(12);
    planter.plant_hard(Password, "set the root login to § please", &password);
    let basic = planter.draw.uuid();
    planter.plant_hard(Token, "session_token: §", &basic);
}
