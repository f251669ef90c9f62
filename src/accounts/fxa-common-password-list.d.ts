/** The package ships no types. */
declare module "fxa-common-password-list" {
  const list: {
    /** Whether the password is among the common ones of 8 characters and more. */ test(
      password: string,
    ): boolean;
  };
  export default list;
}
