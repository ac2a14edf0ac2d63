//! Texts without secrets, though much looks like one.

use super::{Draw, Negative};

pub(super) fn negatives(draw: &mut Draw) -> Vec<Negative> {
    let mut list = Vec::new();
    for (about, texts) in FIXED {
        list.extend(texts.iter().map(|text| negative(about, text)));
    }
    list.extend(drawn(draw));
    list
}

fn negative(about: &'static str, text: &str) -> Negative {
    Negative { about, text: text.to_owned(), hard: about == HARD }
}

/// Look-alikes with random parts, inserted at `§`.
fn drawn(draw: &mut Draw) -> Vec<Negative> {
    let mut list = Vec::new();
    let mut add = |about, templates: &[&str], part: &mut dyn FnMut() -> String| {
        for template in templates {
            list.push(negative(about, &template.replace('§', &part())));
        }
    };
    add("git hash", GIT_HASHES, &mut || draw.hex(40));
    add("short git hash", SHORT_HASHES, &mut || draw.hex(8));
    add("SHA-256", SHA256, &mut || draw.hex(64));
    add("MD5", MD5, &mut || draw.hex(32));
    add("UUID", UUIDS, &mut || draw.uuid());
    add("integrity hash", INTEGRITY, &mut || draw.base64(86) + "==");
    add("go.sum hash", GO_SUM, &mut || draw.base64(43) + "=");
    add("base64 data", BASE64, &mut || draw.base64(240));
    add("tool or message id", IDS, &mut || draw.alnum(24));
    add("public key", PUBLIC_KEYS, &mut || draw.base64(64));
    add("harmless name", HARMLESS_NAMES, &mut || draw.alnum(28));
    add("object name", OBJECT_NAMES, &mut || draw.lower(10));
    list
}

/// False positives of redaction, included so that the rate shows them. Most were found in the documentation and the
/// tests of public projects.
const HARD: &str = "known to be hard";

const HARD_CASES: &[&str] = &[
    "\"ExportToken\": \"export-token-cu4lg26ofcziixny\",",
    "\"SubjectFromWebIdentityToken\": \"amzn1.account.AF6RHO7KZU5XRVQJGXK6HB56KR2A\"",
    "\"LocalConsolePassword\": \"PassWordMustBeAtLeast6Chars.\"",
    "{\"name\": \"app1\", \"api_key\": \"a06b-c462cffae87a\"}",
    "with self.assertRaises(ValidationError): validate_password(\"django4242\")",
    "USK@u2vn3Lh6Kte2,4~q8Q~3wIHjX9DT0yCNfQmr9oxmYrDZoQVLOdNg~yk0,AQACAAE",
    "password: \"min-8-chars\"",
    "\"password\": \"Step 2\", \"password\": \"step2of3\"",
];

const GIT_HASHES: &[&str] = &[
    "commit §\nAuthor: Jan",
    "* § (HEAD -> main) fix token refresh",
    "index §..§ 100644",
    "\"headCommit\": \"§\"",
    "git checkout § -- src/auth/token.rs",
    "https://github.com/acme/shop/commit/§",
    "uses: actions/checkout@§ # v4",
    "rev = \"§\"",
    "Merge § into main: rotate password hashing",
    "gitCommit=§ buildDate=2024-01-15",
    "source = \"git+https://github.com/acme/secret-store?rev=§#§\"",
];

const SHORT_HASHES: &[&str] = &[
    "§ feat: add password reset",
    "§ fix(auth): token expiry",
    "Updating §..§\nFast-forward",
    "[main §] secret scanning",
];

const SHA256: &[&str] = &[
    "sha256:§",
    "checksum = \"§\"",
    "docker pull postgres@sha256:§",
    "FROM rust@sha256:§ AS build",
    "§  token-cli-v1.2.tar.gz",
    "\"digest\": \"sha256:§\",",
    "--hash=sha256:§",
    "etag: \"§\"",
    "contentHash: §",
    "  sha256 \"§\"",
    "name = \"secrecy\"\nversion = \"0.8.0\"\nchecksum = \"§\"",
    "password_hash_sha256: §",
    "cache key: v1-cargo-§",
    "\"fingerprint\": \"§\"",
    "secret_sha256=§",
    "Token digest sha256:§ verified",
];

const MD5: &[&str] = &[
    "md5sum: §",
    "§  password-list.txt",
    "ETag: \"§\"",
    "trace_id=§ span_id=00f067aa0ba902b7",
    "traceparent: 00-§-00f067aa0ba902b7-01",
    "/static/js/main.§.js",
    "gravatar.com/avatar/§?s=80",
    "https://§@o123.ingest.sentry.io/456",
];

const UUIDS: &[&str] = &[
    "\"sessionId\":\"§\"",
    "\"uuid\":\"§\",\"parentUuid\":\"§\"",
    "session_id: §",
    "sessionToken: §",
    "\"requestId\": \"§\"",
    "tenant_id = \"§\"",
    "AZURE_CLIENT_ID=§",
    "/Users/jan/.claude/projects/shop/§.jsonl",
    "volume pvc-§ bound",
    "idempotency-key: §",
    "\"leafUuid\":\"§\"",
    "device token id §",
    "key: §",
    "\"token_id\": \"§\"",
];

const INTEGRITY: &[&str] = &[
    "\"integrity\": \"sha512-§\"",
    "integrity sha512-§",
    "    resolution: {integrity: sha512-§}",
    "<script src=\"a.js\" integrity=\"sha512-§\" crossorigin=\"anonymous\">",
    "\"node_modules/jsonwebtoken\": {\"version\": \"9.0.0\", \"integrity\": \"sha512-§\"}",
    "\"passport-oauth2@^1.7.0\":\n  version \"1.7.0\"\n  integrity sha512-§",
];

const GO_SUM: &[&str] = &[
    "github.com/golang-jwt/jwt/v5 v5.2.0 h1:§",
    "golang.org/x/oauth2 v0.15.0/go.mod h1:§",
    "github.com/hashicorp/go-secure-stdlib v0.1.2 h1:§\ngithub.com/x/y v1.0.0/go.mod h1:§",
];

const BASE64: &[&str] = &[
    "data:image/png;base64,§",
    "<img src=\"data:image/jpeg;base64,§\">",
    "\"signature\":\"§\"",
    "{\"type\":\"thinking\",\"thinking\":\"the token…\",\"signature\":\"EqQB§\"}",
    "\"data\":\"§\",\"media_type\":\"image/png\"",
    "//# sourceMappingURL=data:application/json;base64,§",
    "\"encrypted_content\": \"gAAAAA§\"",
    "src: url(data:font/woff2;base64,§)",
    "certificate-authority-data: §",
    "-----BEGIN CERTIFICATE-----\n§\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\n§\n-----END PUBLIC KEY-----",
    "-----BEGIN PGP SIGNATURE-----\n\n§\n=abcd\n-----END PGP SIGNATURE-----",
    "-----BEGIN CERTIFICATE REQUEST-----\\n§\\n-----END CERTIFICATE REQUEST-----",
    "payload: §",
];

const IDS: &[&str] = &[
    "\"id\":\"toolu_01§\"",
    "\"tool_use_id\":\"toolu_01§\",\"type\":\"tool_result\"",
    "\"id\":\"msg_01§\",\"type\":\"message\"",
    "\"requestId\":\"req_011§\"",
    "\"call_id\":\"call_§\"",
    "\"id\":\"chatcmpl-§\"",
    "\"id\":\"rs_§\"",
    "customer: cus_§",
    "price_1§",
    "pi_3§",
    "pk_live_§",
    "pk_test_51§",
    "file-§",
    "run_§ completed",
    "\"id\":\"resp_§\"",
    "phc_§§",
];

const PUBLIC_KEYS: &[&str] = &[
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI§ jan@acme",
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAB§ jan@acme",
    "PublicKey = §",
    "public_key: \"§\"",
    "\"publicKey\": \"§\"",
    "VAPID_PUBLIC_KEY=§",
    "host key: SHA256:§",
    "recipient: age1§",
];

const HARMLESS_NAMES: &[&str] = &[
    "[redacted:api-key] = \"§\"",
    "disk-§",
    "\"nextPageToken\": \"CAUQAA7§\"",
    "next_token=§",
    "\"continuationToken\": \"§==\"",
    "<input name=\"authenticity_token\" value=\"§\">",
    "<input name=\"csrf_token\" value=\"§\">",
    "cacheKey: \"§\"",
    "CACHE_KEY=§",
    "objectKey: \"uploads/§.png\"",
    "\"key\": \"§\"",
    "syncToken: §",
    "recaptcha site_key: §",
    "RECAPTCHA_SITE_KEY=§",
    "public_token = \"§\"",
    "\"signature\": \"§\"",
    "nonce-§",
];

const OBJECT_NAMES: &[&str] = &[
    "pod/auth-token-controller-7d9c6b5f4-§ 1/1 Running",
    "secret/default-token-§ created",
    "kubectl get secret sh.helm.release.v1.shop.v§",
    "serviceaccount/token-reviewer-§",
    "replicaset.apps/password-manager-§ scaled",
    "secretName: db-credentials-§",
];

/// Look-alikes without random parts.
const FIXED: &[(&str, &[&str])] = &[
    ("code", CODE),
    ("types and schemas", TYPES),
    ("reading a secret from elsewhere", LOOKUPS),
    ("placeholder", PLACEHOLDERS),
    ("documented example", DOCUMENTED),
    ("token counts", COUNTS),
    ("URL without password", URLS),
    ("path", PATHS),
    ("prose", PROSE),
    ("minified or generated code", MINIFIED),
    ("configuration", CONFIGURATION),
    ("log line", LOGS),
    ("harmless name", NAMES),
    ("redacted already", REDACTED),
    ("other", OTHER),
    (HARD, HARD_CASES),
];

const CODE: &[&str] = &[
    "token = tokens.next()",
    "let token = lexer.next_token()?;",
    "password: String,",
    "pub password: Option<String>,",
    "self.password = password",
    "const token = await getToken();",
    "if (password !== confirmPassword) {",
    "assert_eq!(token.kind, TokenKind::Identifier);",
    "function validatePassword(password: string): boolean {",
    "token: &'a str,",
    "let api_key = config.api_key.clone();",
    "apiKey: settings.apiKey,",
    "secret = hmac.new(key, msg, hashlib.sha256).hexdigest()",
    "password = input(\"Password: \")",
    "password = getpass.getpass(prompt='Enter password2: ')",
    "token := r.Header.Get(\"Authorization\")",
    "req.Header.Set(\"Authorization\", \"Bearer \"+token)",
    "headers.Authorization = `Bearer ${accessToken}`;",
    "\"Authorization\": f\"Bearer {token}\",",
    "Authorization: 'Bearer ' + process.env.TOKEN,",
    "fn parse_token(input: &str) -> Result<Token, Error>",
    "token_type = TokenType.STRING_LITERAL_2",
    "password=password1,",
    "login(username=user1, password=password2)",
    "User(password=make_password(raw_password1))",
    "secret: secret.value,",
    "this.token = token ?? null;",
    "keys.map(key => key.token)",
    "export const selectToken = (state) => state.auth.token;",
    "auth: { user: smtpUser, pass: smtpPass },",
    "private readonly tokenService: TokenService2,",
    "var tokenRegex = /^[A-Za-z0-9]{32}$/;",
    "password: z.string().min(8).max(64),",
    "password: Joi.string().pattern(/^[a-zA-Z0-9]{3,30}$/),",
    "token: crypto.randomBytes(32).toString('hex'),",
    "SECRET_KEY = get_random_secret_key()",
    "secret_key = secrets.token_urlsafe(32)",
    "const key = `${prefix}:token:${userId}`;",
    "accessKey := aws.StringValue(creds.AccessKeyID)",
    "apiKey == null ? undefined : apiKey",
    "if token == \"identifier\" { return; }",
    "/// `config.password2`, `self.token_1`: names joined by dots",
    "encoded = make_password(\"letme1n\")",
    "password1 = self.page.locator('input[name=\"password1\"]')",
    "\"password1\": \"FORBIDDEN_VALUE2\",",
    "sudo -u postgres psql; docker run -u 1000:1000 curl",
    "case 'password': return <PasswordInput2 />;",
    "password = base64Encode(user1.password)",
    "token = sha256Hash(session.id)",
    "credentials: 'same-origin',",
    "credentials: \"include\"",
    "auth: AuthMiddleware2,",
    "let auth = Auth::new(&config);",
    "tokens: Vec<Token>,",
    "TOKEN_PATTERN = re.compile(r\"[A-Za-z0-9_-]{20,}\")",
    "passwordField.sendKeys(testUser.password);",
    "print(f\"token={token[:4]}...\")",
    "secret.expose_secret()",
    "$password = $_POST['password'];",
    "token = request.cookies.get('session_token_v2')",
    "password_input2: PasswordInput2Props",
    "api_key: Annotated[str, Header()] = None,",
    "ctx.token().await.map_err(|error| Error::Token(error))?",
    "def test_password_reset_token_expires_after_24h():",
    "it('rejects token with invalid signature v2', async () => {",
];

const TYPES: &[&str] = &[
    "\"password\": {\"type\": \"string\", \"minLength\": 8}",
    "\"token\": \"string\"",
    "token: string | undefined;",
    "password VARCHAR(255) NOT NULL,",
    "secret BYTEA NOT NULL DEFAULT gen_random_bytes(32)",
    "string password = 2;",
    "optional bytes token = 14 [deprecated = true];",
    "apiKey?: string;",
    "access_token: Optional[str] = None",
    "\"api_key\": {\"$ref\": \"#/components/schemas/ApiKey2\"}",
    "ALTER TABLE users ADD COLUMN password_digest char(60);",
    "in: header\nname: X-API-Key\ntype: apiKey",
    "password: !!str",
    "pub struct Token<'a> { kind: Kind, text: &'a str }",
];

const LOOKUPS: &[&str] = &[
    "secret = os.environ[\"X\"]",
    "secret = os.environ[\"STRIPE_SECRET_KEY_V2\"]",
    "apiKey: process.env.API_KEY",
    "const token = process.env.GITHUB_TOKEN!;",
    "api_key=os.getenv(\"OPENAI_API_KEY\")",
    "password: ${DB_PASSWORD}",
    "password: \"${DB_PASSWORD:-}\"",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "GITHUB_TOKEN: ${{ github.token }}",
    "export TOKEN=$(gcloud auth print-access-token)",
    "export VAULT_TOKEN=\"$(cat ~/.vault-token)\"",
    "curl -H \"Authorization: Bearer $TOKEN\" https://api.acme.dev",
    "curl -H \"Authorization: Bearer $(cat token.txt)\"",
    "-u \"$USER:$PASSWORD\"",
    "postgres://${DB_USER}:${DB_PASS}@localhost/db",
    "postgres://%s:%s@%s:%d/%s",
    "f\"mysql://{user}:{password}@{host}/db\"",
    "password = var.db_password",
    "secret_key_base: <%= ENV[\"SECRET_KEY_BASE\"] %>",
    "token: op://Private/github/token2",
    "DATABASE_PASSWORD: vault:secret/data/db#password2",
    "valueFrom:\n  secretKeyRef:\n    name: db-secret\n    key: password",
    "password: {{ .Values.postgresql.auth.password }}",
    "api_key = st.secrets[\"openai_api_key\"]",
    "let token = std::env::var(\"GITHUB_TOKEN\")?;",
    "password: !vault |",
    "secretArn: arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf",
    "client_secret = Deno.env.get('CLIENT_SECRET_2')",
    "--password-stdin",
    "--token-file /var/run/secrets/token",
    "--password \"$DB_PASSWORD\"",
    "PASSWORD=%DB_PASSWORD%",
    "apikey: @Value(\"${api.key}\")",
    "token: !secret github_token_2",
];

const PLACEHOLDERS: &[&str] = &[
    "API_KEY=YOUR_API_KEY",
    "API_KEY=your-api-key-here",
    "OPENAI_API_KEY=sk-...",
    "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "ANTHROPIC_API_KEY=sk-ant-your-key-here",
    "ANTHROPIC_API_KEY=sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxx",
    "GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "GITHUB_TOKEN=ghp_your_personal_access_token_goes_here",
    "password: changeme",
    "PASSWORD=changeme123",
    "password: \"<password>\"",
    "token: <your-token>",
    "--token <TOKEN>",
    "Authorization: Bearer <token>",
    "Authorization: Bearer YOUR_ACCESS_TOKEN_HERE",
    "Authorization: Bearer {{access_token}}",
    "Authorization: Basic <base64(user:password)>",
    "Authorization: Bearer ...",
    "\"password\": \"********\"",
    "\"apiKey\": \"***\"",
    "\"token\": \"…\"",
    "secret: xxxxxxxxxxxxxxxxxxxxxxxx",
    "\"token\": \"[REDACTED]\"",
    "\"secret\": \"REDACTED_BY_POLICY_1\"",
    "postgres://user:password@localhost:5432/db",
    "postgres://postgres:postgres@localhost/app",
    "mysql://root:secret@127.0.0.1/app",
    "mongodb://<user>:<password>@cluster0.mongodb.net",
    "redis://user:***@cache:6379",
    "https://username:token@github.com/acme/shop",
    "amqp://guest:guest@rabbit:5672",
    "https://user:pass@example.com/path",
    "xoxb-your-bot-token",
    "SLACK_TOKEN=xoxb-xxxxxxxxxxxx-xxxxxxxxxxxx-xxxxxxxxxxxx",
    "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    "https://hooks.slack.com/services/YOUR/WEBHOOK/URL",
    "AWS_ACCESS_KEY_ID=AKIAXXXXXXXXXXXXXXXX",
    "password = \"password123\"",
    "password: 'test1234'",
    "\"password\": \"secret\"",
    "password=admin",
    "token=\"test-token-123\"",
    "api_key=\"fake-api-key-for-tests\"",
    "client_secret=\"dummy_client_secret_0001\"",
    "token: \"abcdefghijklmnopqrstuvwxyz123456\"",
    "secret: \"0123456789abcdef0123456789abcdef\"",
    "TOKEN=00000000000000000000000000000000",
    "DB_PASSWORD=",
    "DB_PASSWORD=\"\"",
    "password: null",
    "token: undefined,",
    "SECRET_KEY=replace-me-with-a-long-random-string-1",
    "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----",
    "\"private_key\": \"-----BEGIN PRIVATE KEY-----\\nMIIE...\\n-----END PRIVATE KEY-----\\n\"",
    "if text.contains(\"-----BEGIN RSA PRIVATE KEY-----\") {",
    "grep -r 'BEGIN OPENSSH PRIVATE KEY' .",
    "sk_live_...",
    "sk_test_xxxxxxxxxxxxxxxxxxxxxxxx",
    "whsec_...",
    "Set OPENAI_API_KEY to a key that starts with sk- or sk-proj-",
    "The prefixes are ghp_, gho_, ghu_, ghs_ and ghr_.",
];

const DOCUMENTED: &[&str] = &[
    "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
    "Authorization: Basic dXNlcjpwYXNzd29yZA==",
    concat!(
        "eyJhbGciOiJIUzI1NiIs",
        "InR5cCI6IkpXVCJ9.",
        "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
    ),
];

const COUNTS: &[&str] = &[
    "\"input_tokens\": 12345,",
    "\"usage\":{\"input_tokens\":10,\"cache_creation_input_tokens\":8545,\"cache_read_input_tokens\":16560,\"output_tokens\":2}",
    "max_tokens: 4096",
    "\"max_tokens\": 8192, \"temperature\": 0.2",
    "tokens used: 1234567890123456789",
    "token count = 20480000",
    "total_tokens=18231 cost=$0.12",
    "[token 15/2048] loss=3.14159265358979",
    "MAX_THINKING_TOKENS=31999",
    "~/.claude tokens: 45.2k/200k (23%)",
    "token: 17",
    "password: 8",
    "token budget: 1_000_000_000_000_000",
    "tokenizer_config.json: eos_token: \"<|endoftext|>\"",
    "\"bos_token\": \"<|begin_of_text|>\", \"pad_token\": \"[PAD]\"",
];

const URLS: &[&str] = &[
    "https://github.com/acme/shop/blob/main/src/token.rs#L10-L20",
    "https://api.acme.dev/oauth/token",
    "http://localhost:3000/@fs/home/jan/shop",
    "http://localhost:8080/reset-password?step=2",
    "ssh://git@github.com:22/acme/shop.git",
    "git@github.com:acme/shop.git",
    "https://registry.npmjs.org/@types/node/-/node-20.1.0.tgz",
    "https://medium.com/@jan/why-tokens-expire-3f2a9c8b7d6e",
    "http://host:8080/a@b",
    "redis://cache:6379/0",
    "postgres://app@db:5432/app",
    "ws://127.0.0.1:9229/7f0c2a1e-4c1b-4a9e-9f6d-2b8a1c3d4e5f",
    "https://acme.dev/search?q=password+reset&page=2",
    "https://acme.dev/a?token_type=bearer&expires_in=3600",
    "file:///Users/jan/tokens/src/index.html",
    "https://docs.acme.dev/api-keys#creating-an-api-key",
    "mailto:jan@acme.dev?subject=token",
    "https://cdn.acme.dev/assets/index-BQd8xT4k.js",
    "npm http fetch GET 200 https://registry.npmjs.org/jsonwebtoken 120ms",
    "https://us-central1-aiplatform.googleapis.com:443/v1",
    "https://discord.com/api/webhooks/123/abc",
    "https://example.com:8443@evil.dev/x",
];

const PATHS: &[&str] = &[
    "secret: /run/secrets/db_password_2",
    "token_path: ~/.config/gh/token2.json",
    "PWD=/home/jan/work/shop2",
    "pwd: /Users/jan/Documents/entire/devenv/cli2",
    "\"cwd\":\"/Users/jan/tokens\",\"pwd\":\"/Users/jan/tokens/v2\"",
    "OLDPWD=/srv/app1",
    "private_key: ./certs/server-key2.pem",
    "password-file=/etc/mysql/pass1.txt",
    "M src/auth/password_reset_token_v2.rs",
    "AUTH=/usr/lib/auth2/module.so",
    "C:\\Users\\jan\\AppData\\Roaming\\token2.json",
    "credentials: /home/jan/.aws/credentials2",
];

const PROSE: &[&str] = &[
    "The password must be at least 8 characters and contain 1 digit.",
    "Your token has expired; please log in again.",
    "Password: must contain A-Z, a-z and 0-9",
    "token is required",
    "the token is invalid or expired2",
    "The secret is to keep it simple.",
    "password is incorrect",
    "api key is missing (code E1042)",
    "Enter password for jan:",
    "I'll add a `password` field and a `token: string` argument.",
    "Bearer authentication uses the Authorization header.",
    "basic authentication is deprecated since v2",
    "Basic understanding of tokens",
    "secret santa 2024: who gets whom",
    "authentication: OAuth2.0/OpenIDConnect",
    "Auth: done in PR-1234, see auth2 module",
    "password → see 1Password",
    "key: value pairs; secret: keep it short",
    "Passwords: hashed with argon2id (m=65536, t=3, p=4)",
    "token refresh works as follows: 1) call /oauth2/token 2) store",
    "Das Passwort muss mindestens 12 Zeichen lang sein.",
    "token：トークンは必須です",
    "Cookie: we use cookies to improve your experience",
    "credential: username2 or e-mail address",
    "secret scanning found 0 secrets in 1234 files",
];

const MINIFIED: &[&str] = &[
    "e.password=t.password2,n.token=r.token3;",
    "function(e,t){return e.token=t[\"token\"]||n(17),e}",
    "{token:e.token,secret:t.secret1,password:n.pwd2}",
    "var a=\"token\",b=\"password\",c=\"secret\";",
    "!function(){var t=this;t.apiKey=arguments[0]}()",
    "mappings:\"AAAA,SAASA,IAAIC,GACXC,MAAMC,QAAQC,KAAKC\"",
    ".token-keyword{color:#a626a4}.token-string{color:#50a14f}",
    "--token-color-primary: #1e90ff;",
    "--auth-shadow: 0 1px 2px rgba(0,0,0,.25);",
    "s.key=\"k\"+i,s.authKey=r.authKey2",
    "password:{label:\"Password2\",type:\"password\"}",
];

const CONFIGURATION: &[&str] = &[
    "auth: basic",
    "\"password\": \"auth.login.password_v2.label\"",
    "auth: oauth2",
    "auth = \"scram-sha-256\"",
    "POSTGRES_HOST_AUTH_METHOD=trust",
    "token_endpoint_auth_method: client_secret_basic",
    "password_encryption = scram-sha-256",
    "key: ${{ runner.os }}-cargo-${{ hashFiles('**/Cargo.lock') }}",
    "cache-key: node-modules-v2-linux-x64",
    "secrets: inherit",
    "permissions:\n  id-token: write",
    "secretName: tls-secret-2024",
    "imagePullSecrets:\n  - name: registry-credentials-2",
    "PasswordAuthentication no",
    "PermitRootLogin prohibit-password",
    "api_key_header: X-API-Key-V2",
    "TOKEN_EXPIRY=3600s",
    "token_lifetime: 15m30s",
    "SESSION_TOKEN_TTL=86400",
    "password_policy: min12_upper1_digit1",
    "accessKeyRotation: 90d",
    "ssl_key: certs/dev/server1.key",
    "default_auth: mysql_native_password",
    "SECRET_BACKEND=aws-secretsmanager-v2",
    "token_source: github_actions_oidc_v1",
    "KEYCLOAK_REALM=shop2",
    "sort_key: created_at_v2",
    "partitionKey: /tenantId",
    "registry_token_env: CARGO_REGISTRIES_ACME_TOKEN_2",
];

const LOGS: &[&str] = &[
    "2024-01-15T10:30:00Z INFO auth: token refreshed for user 8f3kd92k",
    "--- PASS: TestTokenRefresh2 (0.01s)",
    "PASS: 128 tests, 0 failures",
    "pass: 'test_login_2' (0.01s)",
    "expect(screen.getByText('pass2')).toBeVisible()",
    "{\"pass\": 12, \"fail\": 0, \"result\": \"pass\"}",
    "ok  \tacme.dev/auth/token\t0.123s",
    "test auth::token::tests::rejects_expired_v2 ... ok",
    "error[E0425]: cannot find value `token` in this scope",
    "warning: unused variable: `password`",
    "Compiling secrecy v0.8.0",
    "added 12 packages: jsonwebtoken@9.0.2, passport@0.7.0",
    "401 Unauthorized: {\"error\":\"invalid_token\",\"error_description\":\"token v2 required\"}",
    "DEBUG auth: Authorization header present (len=128)",
    "Step 3/12 : ARG NPM_TOKEN",
    "token bucket: 10 req/s, burst=20, key=ip:10.0.0.1",
    "[auth] password login ok user=jan ip=10.0.0.12 ua=Mozilla/5.0",
    "Login Succeeded: Password for 'https://jan@github.com':",
];

const NAMES: &[&str] = &[
    "primary_key: \"user#8f3kd92kq7Zk2mXw\"",
    "token_type: \"Bearer\"",
    "password_hash: $2b$12$KIXQ1ZxQ1ZxQ1ZxQ1ZxQ1uWq7Zk2mXw9LpR4tVbQ7Zk2mXw9LpR4tV",
];

const REDACTED: &[&str] = &[
    "password=[redacted:password]",
    "GITHUB_TOKEN=[redacted:github-token]",
    "[redacted:private-key]",
    "postgres://app:[redacted:url-password]@db/app",
    "Authorization: Bearer [redacted:jwt]",
    "{\"token\":\"[redacted:token]\",\"password\":\"[redacted:password]\"}",
];

const OTHER: &[&str] = &[
    "color: #ff00aa; background: #1a2b3c4d;",
    "#[derive(Clone, Debug)] pub struct ApiKey(String);",
    "1//0 is not a number",
    "AKIA is the prefix of an access key id",
    "task-3f2a9c8b7d6e5f4a3b2c1d0e9f8a7b6c",
    "MASKED_hf_model_name_for_the_transformer_pipeline",
    "hf_transfer_enabled_for_downloads_by_default_now",
    "npm_config_user_agent_and_other_variables",
    "eyJ is how base64 of a JSON object begins",
    "AAAAB3NzaC1yc2EAAAADAQABAAABgQC7",
    "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWWCLZW",
    "0x52908400098527886E0F7030069857D2E4169EE7",
    "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
    "MAC 00:1B:44:11:3A:B7 token ring",
    "ssh-keygen: SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8",
    "dapi is the prefix, see dapinstructor and dapifoundation",
    "version=1.2.3-beta.4+build.5678 token=v2",
    "lorem ipsum dolor sit amet password consectetur",
    "SG. is short for Singapore; see SG.com",
    "rk_live is Stripe's prefix for restricted keys",
    "time=10:30:00 :AAE is no token",
    "arn:aws:secretsmanager:us-west-2:123456789012:secret:MyTestDatabase-d4e5f6",
    "\"AWS::IAM::AccessKey\": \"62d91b17309e76c8\",",
    "urn:ietf:params:oauth:jwk-thumbprint:sha-256:DCdRGGDKvhAJgmVlCp6tosc2T9ELtd30S",
    "--starting-token eyJOZXh0VG9rZW4iOiBudWxsLCAiYm90b190cnVuY2F0ZV9hbW91bnQi",
    "arn:aws:iam::123456789012:role/TokenVendingMachine2",
    "ca-central-1.console.aws.amazon.com/secretsmanager",
    "discord.js v14 and twilio SK are supported",
];
