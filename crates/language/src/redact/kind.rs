//! The kinds of secrets, and their names in markers.

use std::fmt;

macro_rules! kinds {
    ($($variant:ident => $name:literal,)*) => {
        /// The kind of a redacted piece of text.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum SecretKind {
            $(#[doc = $name] $variant,)*
        }

        impl SecretKind {
            /// Every kind.
            pub const ALL: &'static [SecretKind] = &[$(SecretKind::$variant,)*];

            /// The kebab-case name in the marker.
            pub const fn name(self) -> &'static str {
                match self {
                    $(SecretKind::$variant => $name,)*
                }
            }
        }
    };
}

kinds! {
    AgeSecretKey => "age-secret-key",
    AiApiKey => "ai-api-key",
    AlibabaAccessKey => "alibaba-access-key",
    AnthropicKey => "anthropic-key",
    ApiKey => "api-key",
    ArtifactoryToken => "artifactory-token",
    AtlassianToken => "atlassian-token",
    AwsAccessKey => "aws-access-key",
    AwsBedrockKey => "aws-bedrock-key",
    AwsSecretKey => "aws-secret-key",
    AzureClientSecret => "azure-client-secret",
    AzureKey => "azure-key",
    AzureSignature => "azure-signature",
    BasicAuth => "basic-auth",
    BearerToken => "bearer-token",
    BraintreeToken => "braintree-token",
    BrevoKey => "brevo-key",
    BuildkiteToken => "buildkite-token",
    CircleciToken => "circleci-token",
    CloudflareToken => "cloudflare-token",
    ContentfulToken => "contentful-token",
    CratesToken => "crates-token",
    Credential => "credential",
    DatabricksToken => "databricks-token",
    DigitaloceanToken => "digitalocean-token",
    DiscordToken => "discord-token",
    DiscordWebhook => "discord-webhook",
    DockerToken => "docker-token",
    DopplerToken => "doppler-token",
    DynatraceToken => "dynatrace-token",
    FigmaToken => "figma-token",
    FlyToken => "fly-token",
    GithubToken => "github-token",
    GitlabToken => "gitlab-token",
    GoogleApiKey => "google-api-key",
    GoogleOauthSecret => "google-oauth-secret",
    GoogleOauthToken => "google-oauth-token",
    GrafanaToken => "grafana-token",
    GroqKey => "groq-key",
    HerokuKey => "heroku-key",
    HubspotToken => "hubspot-token",
    HuggingfaceToken => "huggingface-token",
    Jwt => "jwt",
    LinearKey => "linear-key",
    MailgunKey => "mailgun-key",
    NetlifyToken => "netlify-token",
    NewRelicKey => "new-relic-key",
    NotionToken => "notion-token",
    NpmToken => "npm-token",
    NugetKey => "nuget-key",
    OnepasswordToken => "onepassword-token",
    OpenaiKey => "openai-key",
    Password => "password",
    PlanetscaleToken => "planetscale-token",
    PosthogKey => "posthog-key",
    PostmanKey => "postman-key",
    PrivateKey => "private-key",
    PulumiToken => "pulumi-token",
    PypiToken => "pypi-token",
    RenderKey => "render-key",
    ResendKey => "resend-key",
    RubygemsKey => "rubygems-key",
    Secret => "secret",
    SendgridKey => "sendgrid-key",
    SentryToken => "sentry-token",
    SessionCookie => "session-cookie",
    ShopifyToken => "shopify-token",
    SlackToken => "slack-token",
    SlackWebhook => "slack-webhook",
    SonarqubeToken => "sonarqube-token",
    SourcegraphToken => "sourcegraph-token",
    SquareToken => "square-token",
    StripeKey => "stripe-key",
    StripeWebhookSecret => "stripe-webhook-secret",
    SupabaseKey => "supabase-key",
    TailscaleKey => "tailscale-key",
    TeamsWebhook => "teams-webhook",
    TelegramToken => "telegram-token",
    TerraformToken => "terraform-token",
    Token => "token",
    TwilioKey => "twilio-key",
    UrlPassword => "url-password",
    VaultToken => "vault-token",
    VercelToken => "vercel-token",
}

impl fmt::Display for SecretKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
