/** Where Ray's own clients look for a token, from the home on: the one place that a lab's scripts are sure to read. */

/**
 * Marin's scripts know no RAY_AUTH_TOKEN: they read the file that RAY_AUTH_TOKEN_PATH names, else this one, else they ask
 * gcloud (marin-community/marin, fray/v1/cluster/ray/auth.py).
 */
export const TOKEN_FILE = '.ray/auth_token';
